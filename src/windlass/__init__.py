"""Windlass: Kubeflow as one Python program."""

__version__ = "0.1.0"
