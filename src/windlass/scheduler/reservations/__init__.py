"""Nodes that are reserved for gangs that wait, so that smaller jobs cannot pass them for ever."""
