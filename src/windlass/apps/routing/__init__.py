"""Istio's kinds: routes and policies that the gateway serves, or a mesh on a cluster."""
