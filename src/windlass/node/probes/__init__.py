"""Probes and hooks of running containers: single checks, and the results that they add up to."""
