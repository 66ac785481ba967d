"""Who may sign in, and the OpenID Connect provider that proves it, under dex's paths.

emails passwords users static_file     local users, and those of a dex-style file
signing_keys                           ID tokens: keys, rotation, signing, verification
own_secrets                            secrets of the gateway's client and of what browsers carry
clients oauth signed                   OAuth clients; Authlib's authorization server on the database
connectors                             external OpenID Connect issuers
provider login_page                    the routes below /dex/, and the page that a person sees
"""
