"""Carries out decisions: one worker per pod, which calls `lifecycle.decide` and executes the result."""
