"""Probes and hooks of running containers: what asks them, and what the answers add up to."""
