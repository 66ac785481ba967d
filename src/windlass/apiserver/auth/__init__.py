"""Who is asking, and may they? The way of a request through this folder:

    authenticate.py   header or certificate → `User` (user.py), from
                      tokens.py            static tokens: credentials.py makes ours, `--token-auth-file` brings others
                      certificates.py      client certificates
                      service_accounts.py  tokens of service accounts (jws.py signs, token_request.py hands out)
                      oidc.py              ID tokens of an OpenID Connect issuer
    impersonate.py    `Impersonate-*` headers → the `User` to go on as
    rbac.py           `User` and `Attributes` (attributes.py) → `Decision`, by the rules (rules.py) of all bound roles
    escalation.py     roles and bindings that would give more than their writer has
    reviews.py        the same questions, asked through the API

Beside it: bootstrap.py (the roles of a fresh server), aggregation.py (roles that gather others), csr.py (signing
certificate requests), audit_policy.py (how much of which request is logged).
"""
