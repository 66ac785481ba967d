"""The plugin `task-topology` and its parts."""
