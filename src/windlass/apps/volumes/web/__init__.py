"""/volumes: the web app of volumes."""
