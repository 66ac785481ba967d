"""kubeflow.org: training jobs, from a script or a manifest to their pods and curves.

`kinds/` and `frameworks/` declare the jobs, one file a framework. An object passes `admission` (`conversion/`, the
defaults of `job`, `validation`), then the engine in `controllers/`, which asks its framework (`framework`) for
each pod. `jobs/` is for front ends: it submits jobs, reads their state, explains why they wait and controls them.
`web/` and `commands/` show it.
"""
