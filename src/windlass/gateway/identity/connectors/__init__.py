"""Ways to sign in elsewhere: the connectors of a dex configuration.

connector trust                    what the users file says of one, and whom it trusts
departure                          what their sign-ins have in common
entries ldap_entry                 an entry of the file → a connector, each field honoured or refused by name
elsewhere oidc github              sign-ins for which the browser leaves: OpenID Connect issuers, and GitHub
http_client                        requests to them, to public addresses and the host that the administrator named
ldap directory_entries             sign-ins with a password that an LDAP directory checks
checks                             whether the other side answers
"""
