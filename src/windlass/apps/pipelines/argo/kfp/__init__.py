"""Workflows that are runs of v1 pipelines: their cache, their metrics, and their records. Pure.

cache_key     when outputs of an earlier pod may be reused
metrics       what a task wrote into its artifact `mlpipeline-metrics`
run_records   the state, tasks and artifacts of the run, from the status of its Workflow
"""
