"""/api/k8s: the Kubernetes API with the rights of the signed-in user.

targets            pure rules: which paths, methods and headers pass
routes             the request to the API server, and its answer piece by piece
pod_exec           commands in pods, over a WebSocket
"""
