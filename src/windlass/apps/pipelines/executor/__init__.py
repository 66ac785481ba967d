"""One container task: its executor input, its pod, its outputs and its fingerprint. Pure."""
