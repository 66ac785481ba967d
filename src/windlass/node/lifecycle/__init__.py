"""What becomes of a pod on this node: pure decisions from its object and what is observed, as kubelet makes them."""
