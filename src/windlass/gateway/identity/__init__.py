"""Who may sign in, and the OpenID Connect provider that proves it, under dex's paths.

emails passwords users                 local users
static_file file_fields                users, clients and connectors of a dex-style file
signing_keys                           ID tokens: keys, rotation, signing, verification
own_secrets                            secrets of the gateway's client and of what browsers carry
clients oauth signed                   OAuth clients; Authlib's authorization server on the database
connectors                             ways to sign in elsewhere: OpenID Connect, GitHub, LDAP
provider                               the routes below /dex/
sign_in password_checks login_page     signing in there, and the page that a person sees
known_browser                          the cookie of a browser in which a user has signed in before
"""
