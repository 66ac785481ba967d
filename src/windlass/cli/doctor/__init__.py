"""`windlass doctor`: what is wrong with this Windlass, and what to do about it.

findings.py   facts → findings. Pure.
facts.py      the facts of a data dir: processes, users, objects, disk, clock
doctor.py     the command
"""
