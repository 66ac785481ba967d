"""Volcano's queues in the dashboard."""
