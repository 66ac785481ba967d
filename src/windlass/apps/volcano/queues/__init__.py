"""Queues as commands and pages show them: their state, and the commands that open and close them."""
