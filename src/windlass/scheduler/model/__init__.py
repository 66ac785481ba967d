"""What the scheduler knows: nodes and the pods on them, gangs and their pods, queues. Bookkeeping, no I/O."""
