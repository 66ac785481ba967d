"""Training jobs, gangs and queues: their state, why they wait, and how to submit and control them, for any front end.

Nothing here prints, reads the environment or knows of a terminal. Failures are raised as `JobsError`.
"""
