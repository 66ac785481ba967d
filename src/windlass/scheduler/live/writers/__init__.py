"""Carry out single effects through the API: bind, evict, write statuses. Each answers with events for the core."""
