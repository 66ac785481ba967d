"""Turning a script and its folder into a training job, and submitting it."""
