"""Argo Workflows: the engine advances the status (`argo`), pods and other objects follow.

workflow_controllers   the controllers, each loaded with the first Workflow that it sees
cron_workflows         CronWorkflow: a Workflow at each moment of its schedules
workflows_service      one step of a Workflow: observe, advance, write the status, create and delete
answers                answers what the engine requests while it advances, by
  output_cache           outputs of earlier pods (v1 runs)
  locks                  semaphores and mutexes
  store_places           stores that artifacts name: fetch, publish, list, remove
  pod_outputs            outputs of pods in the claim of their namespace
  pod_transfers          a cluster instead: containers that copy, and their reports
  resource_actions       actions of resource templates
memos                  outputs of memoized nodes, kept in ConfigMaps
pod_logs               logs of pods whose Workflow is no run
mirror                 Workflows of v1 runs, copied into the records of their runs
"""
