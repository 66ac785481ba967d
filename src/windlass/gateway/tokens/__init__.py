"""Credentials for programs: personal access tokens, and the verification of every kind of bearer token.

access_tokens     made, listed, revoked; kept as digests
bearer            `Authorization: Bearer …` to an `Identity`
ingress           how Istio's ingress knows a session
review            the same for the API server, as a TokenReview webhook
"""
