"""Lamps at the gateway: a route that lists them."""
