"""kubeflow.org: training jobs. `frameworks/` says what each framework is; the rest is common to all of them."""
