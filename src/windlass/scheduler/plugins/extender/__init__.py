"""The plugin `extender` and its parts."""
