"""Runs pods with podman or docker, through the API that both serve: their images, unmodified.

`bodies.py` builds requests and `answers.py` interprets responses, both pure; `engine.py` sends them. A pod is a
container that does nothing (`holder.py`), whose network and IPC its containers share.
"""
