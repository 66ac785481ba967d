"""`windlass profile`: profiles, and the recycle bin of deleted ones."""
