"""Pods by podman or docker, through the API that both speak: their images, run as they are.

`bodies.py` says what is asked for and `answers.py` what is made of the answers, both pure; `engine.py` speaks. A pod
is a container that does nothing (`holder.py`), whose network and memory its containers share.
"""
