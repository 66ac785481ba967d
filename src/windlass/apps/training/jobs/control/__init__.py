"""Changing jobs and queues that exist: suspend and resume, open and close."""
