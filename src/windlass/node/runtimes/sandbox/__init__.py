"""The sandbox runtime: pods as Linux namespaces, without a daemon and without root.

`runtime.py` is the agent's side (asyncio). Everything else runs in small processes that import only the standard
library: the zygote (`zygote.py`) forks one supervisor per pod (`supervisor.py`), which forks its containers
(`child.py`).
"""
