"""Argo Workflows: from a Workflow and its pods to the next pods and the new status. Pure."""
