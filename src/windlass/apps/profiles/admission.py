"""Admission of pods of profile namespaces: PodDefaults are merged in, with the names of Kubeflow's webhook."""

from windlass.apis.admission import CREATE, Facts, Mutation, Request
from windlass.apis.core_v1 import Pod
from windlass.apis.wellknown import PART_OF_LABEL, PROFILE_VALUE
from windlass.apps.profiles.kinds import PodDefault
from windlass.apps.profiles.pod_defaults import Conflicts, merged, selected
from windlass.kube.errors import Forbidden
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import KINDS

CONFIGURATION = "admission-webhook-mutating-webhook-configuration"


def apply_pod_defaults(request: Request, facts: Facts) -> Object:
    """Return the pod with the PodDefaults of its namespace. Raises Forbidden, naming what conflicts."""
    pod = request.obj or {}
    pod_defaults = facts.list(PodDefault, request.namespace)
    if not pod_defaults:
        return pod
    try:
        return merged(pod, pod_defaults)
    except Conflicts as conflicts:
        chosen = selected(pod_defaults, dig_object(pod, "metadata", "labels"))
        names = ", ".join(str(pod_default["metadata"]["name"]) for pod_default in chosen)
        raise Forbidden(
            f"conflict occurred while applying poddefaults: {names} on pod: {pod_name(request)}: {conflicts}"
        ) from conflicts


def pod_name(request: Request) -> str:
    """The pod's name, or the prefix of the name that it will be given."""
    return request.name or str(dig(request.obj, "metadata", "generateName") or "")


RULES = (
    Mutation(
        kind=KINDS.of(Pod),
        name="admission-webhook-deployment.kubeflow.org",
        path="/apply-poddefault",
        configuration=CONFIGURATION,
        operations=(CREATE,),
        namespace_labels={PART_OF_LABEL: PROFILE_VALUE},
        mutate=apply_pod_defaults,
    ),
)
