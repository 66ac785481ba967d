"""Runtimes of pods: `sandbox` (namespaces), `process` (plain processes), `podman`. `base` is their contract."""
