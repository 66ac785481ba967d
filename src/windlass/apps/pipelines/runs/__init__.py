"""Runs in the manager: pods, claims and records follow what the engine decides."""
