"""`windlass queue`: the command and its screen."""
