"""CustomResourceDefinition deletion: all objects of the kind go first, then the definition's finalizer.

So the objects' own finalizers are honoured while their kind is still served.
"""

from datetime import datetime, timedelta

import msgspec

from windlass.apis.apiextensions_v1 import CustomResourceDefinition, CustomResourceDefinitionCondition
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.conditions import status_of, with_condition
from windlass.kube.controller import Acting, Observed
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.view import metadata_only

FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
DEFINITION = KINDS.of(CustomResourceDefinition)
RECHECK_INTERVAL = timedelta(seconds=1)  # while finalizers hold objects; upstream waits as long


def instances_of(definition: CustomResourceDefinition) -> Kind | None:
    """The kind that the definition serves, in its storage version if that is served."""
    spec = definition.spec
    served = sorted((v for v in spec.versions if v.served), key=lambda version: not version.storage)
    if not served:
        return None
    return Kind(
        group=spec.group,
        version=served[0].name,
        name=spec.names.kind,
        plural=spec.names.plural,
        namespaced=spec.scope == "Namespaced",
    )


async def act(definition: CustomResourceDefinition, observed: Observed, api: Api) -> timedelta | None:
    if definition.metadata.deletion_timestamp is None or FINALIZER not in definition.metadata.finalizers:
        return None
    kind = instances_of(definition)
    left = await _delete_instances(kind, api) if kind is not None else 0
    if left:
        await _say(definition, observed.now, api)
        return RECHECK_INTERVAL
    await _drop_finalizer(definition, api)
    return None


async def _delete_instances(kind: Kind, api: Api) -> int:
    """Ask every object to go; how many are still there."""
    form = metadata_only(kind)
    try:
        found = (await api.list(form)).items
        for namespace in sorted({o.metadata.namespace for o in found if o.metadata.deletion_timestamp is None}):
            await api.delete_collection(kind, namespace)
        return len((await api.list(form)).items) if found else 0
    except errors.NotFound:  # it was never established: there are none
        return 0


async def _say(definition: CustomResourceDefinition, now: datetime, api: Api) -> None:
    condition = CustomResourceDefinitionCondition(
        type="Terminating",
        status=status_of(True),
        reason="InstanceDeletionInProgress",
        message="CustomResource deletion is in progress",
    )
    wanted = with_condition(definition.status.conditions, condition, now)
    if wanted != definition.status.conditions:
        status: Json = {"conditions": msgspec.to_builtins(wanted)}
        metadata = definition.metadata
        await api.set_status(DEFINITION, metadata.key, status, resource_version=metadata.resource_version)


async def _drop_finalizer(definition: CustomResourceDefinition, api: Api) -> None:
    metadata = definition.metadata
    kept = [finalizer for finalizer in metadata.finalizers if finalizer != FINALIZER]
    patch: Json = {"metadata": {"finalizers": kept, "resourceVersion": metadata.resource_version}}
    try:
        await api.patch(DEFINITION, Key("", metadata.name), patch)
    except errors.NotFound:
        return


CONTROLLER = Acting("custom-resource-cleanup", CustomResourceDefinition, act)
