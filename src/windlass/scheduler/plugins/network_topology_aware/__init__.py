"""The plugin `network-topology-aware` and its parts."""
