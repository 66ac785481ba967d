"""The lifecycle of a pod on this node: pure decisions from its object and its observed state, as kubelet makes them."""
