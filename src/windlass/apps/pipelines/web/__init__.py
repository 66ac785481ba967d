"""The API of pipelines at the gateway: for people with a session or token, and for pods with a token."""
