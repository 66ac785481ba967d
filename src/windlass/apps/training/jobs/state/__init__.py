"""What training jobs and queues are doing, read from their objects, and following a job to its end."""
