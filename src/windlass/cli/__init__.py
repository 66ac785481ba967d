"""The command line: commands and screens, a module each (`up.py` is `windlass up`).

Start at `main.py`, which lists the commands; those of apps are in `apps/<name>/commands/`. This is the only part of the
platform that reads the environment. What starts and stops processes is in `supervisor/`.
"""
