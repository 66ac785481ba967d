"""Kubeflow Trainer: TrainJobs, their runtimes, and the built-in runtimes.

A TrainJob of `kinds` passes `admission`; then `building` makes a `blueprint` of a JobSet of it and its runtime,
amended by its policy (`policies/`) and its `gang`. `controllers/` create that and follow it. `simulated_pods` does
the same for a TrainJob that is not created. `runtimes` and `public` are created at the start.
"""
