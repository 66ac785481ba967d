"""The pipelines family."""
