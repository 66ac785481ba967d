"""The metadata store of pipelines over gRPC-web, for browsers, and gRPC, for pods.

grpc_web      answers a request of HTTP/1.1
pod_callers   who a pod is that sends no token
refusals      the gateway's own refusals, as gRPC-web's clients read them

`windlass.apps.pipelines.web.grpc` answers gRPC itself; the answers, and who gets them, are decided in
`windlass.apps.pipelines.wire.metadata`.
"""
