"""The processes of one Windlass and its data directory: starting, watching and stopping them, backing up, restoring.

Nothing here prints, reads the environment or knows of a terminal. What cannot be done is a `SupervisorError`.
"""
