"""Lamps: an app of one kind. Its brightness is filled in and checked, and a Service leads to its pods.

A Lamp goes through `kinds` → `admission` → `controllers` → `entrance`; `web` and `commands` show it.
"""
