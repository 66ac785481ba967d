"""Views of training jobs, gangs and queues."""
