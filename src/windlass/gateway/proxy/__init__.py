"""The reverse proxy: from a request's path to a pod, by the routes of VirtualServices and Ingresses.

watches                                  the objects of the API that routes and rights depend on
proxy decision                           the front, which asks the parts below in this order; where a request goes
routing paths                            the route of a path
request_authorizer policy_gate           rights: RBAC, AuthorizationPolicies
backend_directory backends               ready addresses behind a Service
entrances                                what apps declare of their servers: rights, tokens, use, why not ready
target_builder headers                   what the backend is sent
forwarder forward upstream tunnel        HTTP/1.1 and upgrades, over pooled connections
http2                                    gRPC, frame by frame
"""
