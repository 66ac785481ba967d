"""`/api/account`: what people do with their own sign-ins and credentials.

routes          sessions, access tokens, password, kubeconfig
credentials     pure: what requests ask for, and what answers show
kubeconfig      a kubeconfig of one person
signed_in       the page that a sign-in in a small window ends at
"""
