"""kubeflow.org: training jobs. `frameworks/` declares each framework; the other modules are common to all of them."""
