"""Istio's kinds: routes and policies that the gateway serves, or a mesh on a cluster.

The gateway reads the kinds, which are therefore modules of `windlass.apis`; `app` declares their definitions and
roles.
"""
