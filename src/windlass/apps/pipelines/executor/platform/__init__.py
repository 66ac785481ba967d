"""What a task's pod gets from its component's resources, its platform spec and the server."""
