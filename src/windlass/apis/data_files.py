"""Files of the data directory that more than one part of Windlass knows, by their paths in it."""

PIPELINES_DATABASE = "pipelines/pipelines.db"
"""Definitions, runs, tasks, artifacts and logs of pipelines."""
VOLUMES = "volumes"
"""A folder for each volume of the embedded node."""
