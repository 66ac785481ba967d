"""What training jobs cost: their start, the operator's own share, many at once, memory, and the training itself."""
