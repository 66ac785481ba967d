"""`windlass explain`: the command and its screen."""
