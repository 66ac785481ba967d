"""The command line: commands and screens, a module each (`up.py` is `windlass up`, `job/run.py` `windlass run`).

Start at `main.py`, which lists the commands. This is the only package that reads the environment; nothing imports it.
What commands say about jobs and queues is computed in `jobs/`; what starts and stops processes is in `supervisor/`.
"""
