"""Merge PodDefaults into the pod of a form before anything is made, so that a clash is the form's answer."""

from windlass.apis.core_v1 import Namespace
from windlass.apis.wellknown import PART_OF_LABEL, PROFILE_VALUE
from windlass.apps.profiles.pod_defaults import Conflicts, merged
from windlass.gateway.webapps.common import POD_DEFAULTS
from windlass.kube.client import Client
from windlass.kube.errors import BadRequest, Forbidden, NotFound
from windlass.kube.json import Object
from windlass.kube.objects import key_of
from windlass.kube.view import metadata_only


async def is_profile(own_client: Client, namespace: str) -> bool:
    """Whether a profile's rules hold in a namespace. The gateway reads its labels by its own rights."""
    labels = (await own_client.get(metadata_only(Namespace), namespace)).metadata.labels
    return labels.get(PART_OF_LABEL) == PROFILE_VALUE


async def check_pod_defaults(client: Client, pod: Object) -> None:
    """Refuse a pod that admission would refuse, and name both entries that differ. Raises BadRequest.

    `client` has the rights of the user.
    """
    try:
        pod_defaults = (await client.list(POD_DEFAULTS, key_of(pod).namespace)).items
    except (Forbidden, NotFound):  # the pod's admission decides
        return
    try:
        merged(pod, pod_defaults)
    except Conflicts as error:
        raise BadRequest(f"the configurations cannot be used together: {error}") from error
