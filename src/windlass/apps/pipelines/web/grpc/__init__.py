"""gRPC for pods: the server of the metadata store's calls and of those of the pipelines API.

frames        messages and trailers, as gRPC and gRPC-web frame them. Pure
server        answers streams of HTTP/2
bearer        who a caller is, by their token
listeners     what each address serves

What is answered is in `windlass.apps.pipelines.wire`.
"""
