"""The sandbox runtime: pods as Linux namespaces, without a daemon and without root.

`runtime.py` is the agent's side (asyncio). Everything else runs in small processes of plain Python that import only the
standard library: the zygote (`zygote.py`), from which one supervisor a pod is forked (`supervisor.py`), from which its
containers are (`child.py`).
"""
