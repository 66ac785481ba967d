"""Where pods go: a pure decision from a snapshot of nodes and pods, and the loop that binds by it."""
