"""The plugin `drf` and its parts."""
