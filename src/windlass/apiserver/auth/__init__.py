"""Authentication and authorization. The path of a request through this package:

    authenticate.py   header or certificate → `User` (user.py), from
                      tokens.py            static tokens: of credentials.py and of `--token-auth-file`
                      certificates.py      client certificates
                      service_accounts.py  tokens of service accounts (jws.py signs, token_request.py issues)
                      oidc.py              ID tokens of an OpenID Connect issuer
    impersonate.py    `Impersonate-*` headers → the impersonated `User`
    rbac.py           `User` and `Attributes` (attributes.py) → `Decision`, by the rules (rules.py) of all bound roles
    escalation.py     roles and bindings that would grant more than their author has
    reviews.py        the same checks as API kinds

Others: bootstrap.py (the default roles), aggregation.py (aggregated ClusterRoles), csr.py (signing of certificate
requests), audit_policy.py (the level of detail of the audit log).
"""
