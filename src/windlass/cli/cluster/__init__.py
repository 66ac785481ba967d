"""Installing Windlass on a cluster, and removing it."""
