"""Kinds of pipelines: Workflows and their templates, pipelines and their versions, and schedules."""
