"""Viewers of volumes: defaults, validation, and names that controller, gateway and web app share."""
