"""Commands for the servers of notebooks."""
