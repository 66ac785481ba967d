"""What a TrainJob means: its runtime's policies, what is refused, and the runtimes that Windlass brings."""
