"""The kinds of pipelines: Argo's Workflows, the schedules of recurring runs, and pipelines as objects."""
