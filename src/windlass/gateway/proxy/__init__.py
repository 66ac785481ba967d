"""The reverse proxy: from a request's path to a Service, by the routes of VirtualServices."""
