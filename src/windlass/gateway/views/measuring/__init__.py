"""Use of CPU and memory by nodes and pods over time, sampled by the gateway."""
