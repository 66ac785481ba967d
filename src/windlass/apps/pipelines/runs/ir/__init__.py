"""Runs of pipelines in IR: the engine decides (`engine`), pods and claims follow.

runs_service     the watches of Workflows and pods; loads all below with the first run
run_controller   one step of a run: what changed becomes events, the engine's turn is recorded, its effects carried out
active_run       the run under way: its engine, its records, and the effects and events that wait
pod_reports      the status of a task's pod as a report. Pure
effect_runner    carries out each effect, and answers with an event
workspace        the claim that the tasks of a run share
"""
