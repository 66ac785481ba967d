"""An app that is no part of Windlass, and the program `windlass` with it: docs/developers.md quotes its files."""
