"""The node agent: runs the pods that are bound to this machine and reports their status to the API server."""
