"""What a newcomer waits for: installing, the first job, stopping, starting again, and the disk that it takes."""
