"""MPIJob v2beta1: workers that run sshd, and a Job that launches. (v1, by exec, runs on the engine as others do.)"""
