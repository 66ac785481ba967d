"""Limits on what one object may request, so that it cannot occupy the whole platform."""

MAX_INDEXED_PODS = 10_000
"""The maximum number of pods of one role of a job. Each of them gets the names of all others: the work is quadratic."""
TOO_MANY = f"must be less than or equal to {MAX_INDEXED_PODS}"
MAX_CREATED = 500
"""The maximum number of pods that one reconcile creates, as in Kubernetes. Their creation triggers the next reconcile.
"""
