"""Remote execution without SSH: an exec client, a script that calls it, and the permission to use it.

MPI starts its daemons with an agent that is called like ssh: a host, then a command. Here the host is a pod.
"""

from collections.abc import Sequence

from windlass.apis.core_v1 import ServiceAccount
from windlass.apis.rbac_v1 import PolicyRule, Role, RoleBinding, RoleRef, Subject
from windlass.apis.wellknown import RBAC_GROUP
from windlass.kube.json import Object
from windlass.kube.meta import ObjectMeta

DELIVERY = "kubectl-delivery"
READ_PODS = PolicyRule(verbs=["get", "list", "watch"], api_groups=[""], resources=["pods"])
_RESOURCES = {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "5Gi"}


def script(folder: str, container: str = "") -> str:
    """The agent script: `agent POD COMMAND …`, with the exec client in `folder`. Options before the pod are ignored."""
    chosen = f" --container {container}" if container else ""
    return (
        "#!/bin/sh\n"
        'while [ "${1#-}" != "$1" ]; do shift; done\n'
        "pod=$1\n"
        "shift\n"
        f'exec {folder}/kubectl exec "$pod"{chosen} -- /bin/sh -c "$*"\n'
    )


def delivery(image: str, namespace: str, folder: str, mounts: Sequence[Object]) -> Object:
    """The init container that installs the exec client in `folder` and waits for the pods of the hostfile."""
    return {
        "name": DELIVERY,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "env": [{"name": "TARGET_DIR", "value": folder}, {"name": "NAMESPACE", "value": namespace}],
        "volumeMounts": [*mounts],
        "resources": {"limits": {**_RESOURCES}, "requests": {**_RESOURCES}},
    }


def rights(
    account: str, role: str, binding: str, *, labels: dict[str, str], rules: Sequence[PolicyRule]
) -> tuple[ServiceAccount, Role, RoleBinding]:
    """A service account with these permissions in its namespace."""
    return (
        ServiceAccount(metadata=ObjectMeta(name=account, labels=labels)),
        Role(metadata=ObjectMeta(name=role, labels=labels), rules=[*rules]),
        RoleBinding(
            metadata=ObjectMeta(name=binding, labels=labels),
            role_ref=RoleRef(api_group=RBAC_GROUP, kind="Role", name=role),
            subjects=[Subject(kind="ServiceAccount", name=account)],
        ),
    )


def may_exec_in(pods: Sequence[str]) -> PolicyRule:
    return PolicyRule(verbs=["create"], api_groups=[""], resources=["pods/exec"], resource_names=[*pods])
