"""The version of Kubernetes whose API this is. The build reads it too, by running this file: it imports nothing."""

KUBERNETES_VERSION = "v1.35.0"
