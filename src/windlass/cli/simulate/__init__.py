"""`windlass simulate`: the command, and its forecast for a running cluster."""
