"""Runs and recurring runs in the REST API, with their experiments, tasks, executions and logs.

experiments        methods of experiments
run_requests       the pipeline, parameters and options of a request that starts a run
run_options        cache and failures: the options that runs and recurring runs share
runs               methods of runs; run_views: a run as JSON
recurring_runs     methods of recurring runs; schedule_objects: those that users wrote as objects
tasks              methods of tasks; task_views: a task as JSON; value_sources: where its inputs come from
executions         tasks of all runs of a namespace
pods, logs         the pod of a task, and its log
"""
