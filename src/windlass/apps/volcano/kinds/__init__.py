"""Volcano's kinds, except those that its scheduler reads (`windlass.apis`)."""
