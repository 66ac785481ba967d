"""Queues for people: their state, and how they are created, opened and closed."""
