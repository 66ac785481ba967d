"""What open pages of the dashboard cost the gateway and the API server."""
