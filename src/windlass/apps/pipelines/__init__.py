"""Kubeflow Pipelines: its API, the engine that runs pipelines as pods, and the history of runs."""
