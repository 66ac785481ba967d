"""Pipelines and their versions as Kubernetes objects, recorded so that the API lists and runs them."""
