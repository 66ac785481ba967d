"""Curves of what a job learns: from lines of its logs, and from the event files that it writes for TensorBoard."""
