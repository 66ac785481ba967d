"""Recurring runs: when the next one is due, and starting it."""
