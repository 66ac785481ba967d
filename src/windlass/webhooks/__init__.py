"""Admission and conversion webhooks for a cluster; the embedded server runs the same rules in its own process.

`handlers` maps paths to pure decisions, from a review to its response; `server` listens; `trust` and `certificates`
renew the certificate and publish its CA; `configuration` builds the objects that register the webhooks with a cluster.
"""
