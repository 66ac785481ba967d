"""What a JobSet may say, what it leaves out, and what its parts are called. All of it is pure."""
