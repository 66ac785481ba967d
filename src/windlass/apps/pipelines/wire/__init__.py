"""Kubeflow Pipelines' REST API: routes, JSON and errors, without decisions of its own."""
