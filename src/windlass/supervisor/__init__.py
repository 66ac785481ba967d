"""The processes and the data directory of a Windlass: start, supervise, stop, back up and restore.

Nothing here prints, reads the environment or knows of a terminal. Failures are raised as `SupervisorError`.
"""
