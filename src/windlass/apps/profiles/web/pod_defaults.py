"""PodDefaults in forms: they are merged into a form's pod before anything is made, so that a clash is its answer."""

from windlass.apps.profiles.kinds import PodDefault
from windlass.apps.profiles.pod_defaults import Conflicts, merged
from windlass.kube.client import Client
from windlass.kube.errors import BadRequest, Forbidden, NotFound
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import KINDS
from windlass.kube.objects import key_of

POD_DEFAULTS = KINDS.of(PodDefault)


async def offered_pod_defaults(client: Client, namespace: str) -> list[Object]:
    """Return the PodDefaults of a namespace, as forms show them. `client` has the rights of the user."""
    found = await client.list(POD_DEFAULTS, namespace)
    return [{**each, **_shown(each)} for each in found.items]


def _shown(pod_default: Object) -> Object:
    """The fields of a PodDefault in forms: the label that selects it, and its description."""
    labels = dig_object(pod_default, "spec", "selector", "matchLabels")
    name = dig(pod_default, "metadata", "name")
    return {"label": next(iter(labels), ""), "desc": dig(pod_default, "spec", "desc") or name}


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
