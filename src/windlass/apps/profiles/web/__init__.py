"""Access management of profiles: who belongs to which namespace, and Kubeflow's REST API for it."""
