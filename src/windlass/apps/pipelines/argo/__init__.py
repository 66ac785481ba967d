"""Argo Workflows: from a Workflow and its pods to the next pods and the new status. Pure.

observation       pods, files, objects and answers of the controller, and the requests to it
workflow          one turn: `advance` returns the new status, objects to create and delete, and further requests
templates         the templates of a Workflow, and of WorkflowTemplates that it refers to
execution         each call of a template becomes a node, which is advanced as far as possible
inputs            the values of a node's inputs, with `language`: tags, expressions, conditions and their scope
pods              the pod of a node; resources, http_requests: what other templates do
artifacts         where artifacts are, and which are removed
locks             semaphores and mutexes
cleanup           pods, claims and Workflows that are over
restarting        the status that a retry continues with
kfp               Workflows that are runs of v1 pipelines
cron              Workflows that a CronWorkflow creates
"""
