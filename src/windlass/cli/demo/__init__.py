"""`windlass demo`: the command, its environment, its screen and the scripts that it trains with."""
