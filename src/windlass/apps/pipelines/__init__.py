"""Kubeflow Pipelines: its API, the engine that runs pipelines as pods, and the history of runs.

A request passes `web/` and `wire/`, which check it by the pipeline specification (`ir/`); `runs/` submits and runs
it: the decisions are those of `engine/` (pipelines in IR) and `argo/` (Workflows), the pods those of `executor/`, the
records go to `rows/` (`model`, `history`), outputs to `artifacts/`. `schedules/` starts recurring runs, `catalogue/`
keeps Pipelines as objects, `samples/` fills a new database. `controllers` is what the manager runs of all this.
"""
