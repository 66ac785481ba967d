"""Making decisions true: one worker a pod, which asks `lifecycle.decide` and does what it answers."""
