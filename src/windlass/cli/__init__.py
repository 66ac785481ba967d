"""The command line: one file a command (`up.py` is `windlass up`), and the supervisor that keeps the processes alive.

Start at `main.py`, which lists the commands. This is the only room that reads the environment; nothing imports it.
"""
