"""ChainerJob: a master's Job, stateful sets of workers, and exec from the one into the others."""
