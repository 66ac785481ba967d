"""The pods of a DaemonSet: which node each is for, what is added to the template, and which nodes should have one."""

from hashlib import blake2b

from windlass.apis.apps_v1 import DaemonSet
from windlass.apis.core_v1 import Json, Node, Pod
from windlass.apis.node_fit import fits_node, tolerates
from windlass.controllers.core.pod_from_template import ALPHABET, SUFFIX, pod_from_template
from windlass.controllers.core.revisions import POD_REVISION
from windlass.kube.json import dig, dig_list, dig_object

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TEMPLATE_GENERATION = "pod-template-generation"
GENERATION_ANNOTATION = "deprecated.daemonset.template.generation"
TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
NO_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")


def pod_for(daemon: DaemonSet, node: str, revision: str) -> Json:
    """A pod that only this node can have. Its name follows from the node and the template, so none is made twice."""
    base = f"{daemon.metadata.name}-"
    pod = pod_from_template(
        daemon.spec.template, base + _suffix(daemon, node, revision), base, daemon.metadata.namespace
    )
    labels = {**pod["metadata"].get("labels", {}), POD_REVISION: revision}
    if generation := daemon.metadata.annotations.get(GENERATION_ANNOTATION):
        labels[TEMPLATE_GENERATION] = generation
    spec = {**pod["spec"], "affinity": _only(node, pod["spec"]), "tolerations": tolerations_of(pod["spec"])}
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}, "spec": spec}


def _suffix(daemon: DaemonSet, node: str, revision: str) -> str:
    digest = blake2b(f"{daemon.metadata.uid}/{node}/{revision}".encode(), digest_size=SUFFIX).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest)


def _only(node: str, spec: Json) -> Json:
    """The template's node affinity has been evaluated already; the pod is bound to this node."""
    affinity = dig_object(spec, "affinity")
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    nodes = {**dig_object(affinity, "nodeAffinity"), REQUIRED: {"nodeSelectorTerms": [term]}}
    return {**affinity, "nodeAffinity": nodes}


def tolerations_of(spec: Json) -> list[Json]:
    """The template's, and those by which a daemon stays on a node that is not well."""
    added = (*TOLERATED, NO_NETWORK) if spec.get("hostNetwork") else TOLERATED
    own = [
        one
        for one in dig_list(spec, "tolerations")
        if (one.get("key"), one.get("effect")) not in added or one.get("operator") != "Exists"
    ]
    return [*own, *({"key": key, "operator": "Exists", "effect": effect} for key, effect in added)]


def node_of(pod: Pod) -> str:
    """Where it is, or is meant to be."""
    if pod.spec.node_name:
        return pod.spec.node_name
    for term in dig_list(dig(pod.spec.affinity, "nodeAffinity", REQUIRED), "nodeSelectorTerms"):
        for field in dig_list(term, "matchFields"):
            if field.get("key") == "metadata.name" and len(dig_list(field, "values")) == 1:
                return str(field["values"][0])
    return ""


def should_run(daemon: DaemonSet, node: Node) -> tuple[bool, bool]:
    """Whether a pod should be started on the node, and whether one that is there may stay."""
    spec = dig_object(daemon.spec.template, "spec")
    if not fits_node(spec, node):
        return False, False
    tolerations, taints = tolerations_of(spec), node.spec.taints
    start = tolerates(tolerations, taints, ("NoExecute", "NoSchedule"))
    return start, start or tolerates(tolerations, taints, ("NoExecute",))
