"""Volume snapshots: kinds that clusters install with their storage, and the embedded server has from the start."""
