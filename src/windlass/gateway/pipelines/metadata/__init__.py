"""The metadata store of pipelines over gRPC-web, for browsers, and gRPC, for pods.

frames        messages and trailers, as both protocols frame them. Pure
grpc_web      answers a request of HTTP/1.1
grpc_server   answers streams of HTTP/2
pod_callers   who a pod is that sends no token
refusals      the gateway's own refusals, as gRPC-web's clients read them

What is answered, and to whom, is in `windlass.pipelines.wire.metadata`.
"""
