"""`windlass demo`: the command, its environment, its screen and its training scripts."""
