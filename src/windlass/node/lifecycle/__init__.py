"""What becomes of a pod on this node: pure decisions from the pod's object and what is observed, as kubelet makes them."""
