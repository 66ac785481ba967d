"""Runs in the manager. Two engines decide: `engine` for pipelines in IR, `argo` for Workflows; here is what acts.

workflow_objects   the Workflow that stands for each run, of either engine. Pure
submit             starts, ends and repeats runs: the record first, then the Workflow
watches            which Workflows each controller sees, and the handler that queues their keys
ir                 runs of pipelines in IR
workflows          Workflows: those of users, and those of runs of v1 pipelines
artifacts          artifacts of runs
log_archive        logs of pods, kept in the database
interrupted        runs whose record and Workflow disagree after a crash

Words, in the order in which data passes:
event               what has happened to a run (`engine.events`); the engine of IR takes events
effect              what that engine wants done (`engine.effects`); `ir.effect_runner` answers each with an event
observation         what Argo's engine knows of a Workflow's surroundings (`argo.observation`)
request, answer     what that engine still has to know before it can advance, and what `workflows.answers` found
advance             its decision: the new status, and the objects to create and delete
container outputs   files that a container left behind, unchecked (`ContainerOutputs`), in the claim or in a report
task outputs        the same, checked against the component's declaration (`executor.task_outputs`)
DAG outputs         outputs of DAGs and loops, from those of their tasks (`engine.dag_outputs`)
pod outputs         outputs of a Workflow's pod (`PodOutputs`), the answer to an `OutputsRequest`
"""
