"""How fast pods start, how many fit, and what they cost idle, beside the same processes under `unshare` alone."""
