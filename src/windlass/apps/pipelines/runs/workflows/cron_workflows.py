"""CronWorkflow -> a Workflow at each moment of its schedules."""

from datetime import timedelta

from windlass.apps.pipelines.argo.cron import SCHEDULED_ANNOTATION, Child, plan
from windlass.apps.pipelines.argo.times import moment
from windlass.apps.pipelines.kinds.argo import CronWorkflow
from windlass.apps.pipelines.names import PHASE_LABEL
from windlass.apps.pipelines.runs.watches import CHILDREN
from windlass.kube.controller import Observed
from windlass.kube.json import dig_object
from windlass.kube.meta import PartialObjectMetadata
from windlass.kube.objects import wire
from windlass.kube.patch import merge_patch
from windlass.kube.plan import Action, Create, Delete, Event, Patch, PatchStatus, Plan


def reconcile(cron: CronWorkflow, observed: Observed) -> Plan:
    workflows = observed.owned(CHILDREN)
    manifest = wire(cron)
    try:
        made = plan(manifest, [_child(workflow) for workflow in workflows], observed.now)
    except ValueError as error:
        return Plan(events=[Event(reason="SpecError", message=str(error), warning=True)])
    by_name = {workflow.metadata.name: workflow for workflow in workflows}
    actions: list[Action] = [
        *(Patch({**_reference(by_name[name])}, {"spec": {"shutdown": "Terminate"}}) for name in made.stops),
        *([Create(made.create)] if made.create is not None else []),
        *(Delete(_reference(by_name[name])) for name in made.deletes),
    ]
    changes = merge_patch.diff(dig_object(manifest, "status"), made.status)
    if changes:
        actions.append(PatchStatus(cron, changes))
    again_in = max(made.wake_at - observed.now, timedelta()) if made.wake_at is not None else None
    return Plan(actions, again_in=again_in)


def _child(workflow: PartialObjectMetadata) -> Child:
    metadata = workflow.metadata
    scheduled = metadata.annotations.get(SCHEDULED_ANNOTATION) or metadata.creation_timestamp
    return Child(metadata.name, metadata.uid, metadata.labels.get(PHASE_LABEL, ""), moment(scheduled))


def _reference(workflow: PartialObjectMetadata) -> dict[str, object]:
    """A Workflow by its name, for actions that need no more of it."""
    metadata = workflow.metadata
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "name": metadata.name,
            "namespace": metadata.namespace,
            "uid": metadata.uid,
            "resourceVersion": metadata.resource_version,
        },
    }
