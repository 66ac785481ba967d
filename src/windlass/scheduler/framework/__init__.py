"""What actions and plugins are written with: the session of one cycle, statements, and what a cycle decided."""
