"""Definitions, defaults and validation of Volcano's kinds, as pure functions."""
