"""`windlass user`: who may sign in at the gateway."""
