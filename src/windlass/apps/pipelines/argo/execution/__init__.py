"""Execution of templates: each call of a template becomes a node, and is advanced as far as it can be. Pure."""
