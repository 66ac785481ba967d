"""Limits on what one object may ask for, so that it cannot occupy the whole platform."""

MAX_INDEXED_PODS = 10_000
"""Pods of one role of a job. Each of them gets the names of all others, so the work grows with the square."""
TOO_MANY = f"must be less than or equal to {MAX_INDEXED_PODS}"
MAX_CREATED = 500
"""Pods that one reconcile makes at most, as in Kubernetes: those that are made bring the object back for the others."""
