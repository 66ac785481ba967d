"""The node agent: runs the pods that are bound to this machine, and tells the API how they are."""
