"""Policies of a job: which action answers an event.

policy_events   what has happened to a job, read from its objects
policy_orders   the action that an event asks for, by the policies of its task and then of the job
orders          the actions that are due now, and those that wait
"""
