"""Queues: how many groups are in them, and how they open and close.

queue_service     keeps the status of queues up to date
queue_steps       the next change of a queue: its state, its place under a parent, its counts. Pure
command_service   Commands that open and close queues
"""
