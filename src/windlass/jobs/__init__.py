"""What training jobs, gangs and queues are doing and why, and how they are submitted: for the CLI and other front ends.

Nothing here prints, reads the environment or knows of a terminal. What cannot be done is a `JobsError`.
"""
