"""What is done with a training job, whatever its framework: from (job, pods, services, now) to (children, status)."""
