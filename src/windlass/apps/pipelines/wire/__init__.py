"""Kubeflow Pipelines' REST API: routes, JSON and errors, without decisions of its own.

api, routes          finds the handler of a request, and answers errors
call                 a request and the services that handlers use
runs, pipelines      handlers; artifact_content, tensorboards, server: further ones
packages, archives   uploaded pipelines; downloads: those at URLs
listing, names       page tokens, filters and sort orders; names that clients give
protojson, shapes    messages as JSON, and the messages of /apis/v2beta1
v1                   /apis/v1beta1
grpc                 the same calls over gRPC
metadata             Kubeflow's metadata store over gRPC
"""
