"""Adapts a container to plain processes: environment variables replace what is missing, and the rest is refused.

Pure.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from windlass.node.runtimes.base import ContainerSpec, Mount
from windlass.node.runtimes.process.links import variable_of
from windlass.node.runtimes.process.table import Table, translated, translated_environment

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"
API = "10.96.0.1"


class PlainSpec(ContainerSpec, frozen=True):
    """`unlinked` are mountPaths announced only by a variable; `refusal` says why the container cannot run at all.

    `files` of the image, by their paths in a container, are copied below the container's own directory.
    """

    refusal: str = ""
    unlinked: tuple[str, ...] = (TOKEN,)
    kubeconfig: str = ""
    files: dict[str, str] = {}


def adapted(spec: ContainerSpec, folder: str, table: Table, *, uid: str, user: int, group: int) -> PlainSpec:
    """`folder` is the run's own, `uid` the pod's; `user` and `group` are those of all containers here."""
    mounts = tuple(mount for mount in spec.mounts if not mount.of_image)
    files = {mount.target: mount.source for mount in spec.mounts if mount.of_image}
    token = next((mount.source for mount in spec.mounts if mount.target == TOKEN), "")
    environment = {
        **_announced(spec, folder, table.pods.get(uid, "")),
        **({"KUBECONFIG": f"{folder}/kubeconfig"} if token else {}),
        **translated_environment(spec.environment, table.services),
    }
    changes: dict[str, Any] = {
        "mounts": mounts,
        "argv": tuple(
            f"{folder}/root{word}" if word in files else translated(word, table.services) for word in spec.argv
        ),
        "files": files,
        "environment": environment,
        "refusal": refusal(spec, user, group),
        "kubeconfig": kubeconfig(token, environment) if token else "",
    }
    return PlainSpec(**{**{name: getattr(spec, name) for name in spec.__struct_fields__}, **changes})


def _announced(spec: ContainerSpec, folder: str, address: str) -> dict[str, str]:
    told = {
        "HOME": f"{folder}/root",
        "TMPDIR": f"{folder}/root/tmp",
        "WINDLASS_ROOT": f"{folder}/root",
        "WINDLASS_HOSTS": f"{folder}/hosts",
        "WINDLASS_TERMINATION_LOG": f"{folder}/termination-log",
        **{variable_of(mount.target): mount.source for mount in spec.mounts if _is_announced(mount)},
    }
    return {**told, "WINDLASS_POD_IP": address} if address else told


def _is_announced(mount: Mount) -> bool:
    return not mount.of_image and not mount.source.startswith("tmpfs")


def refusal(spec: ContainerSpec, user: int, group: int) -> str:
    """Return what the manifest requires and no plain process can have; empty if there is nothing."""
    here = f"pods run as plain processes of user {user} on this node"
    if spec.user is not None and spec.user != user and not spec.user_of_image:
        return f"container {spec.name}: runAsUser {spec.user} is not supported: {here}"
    if spec.group is not None and spec.group != group:
        return f"container {spec.name}: runAsGroup {spec.group} is not supported: {here}, in group {group}"
    if spec.read_only_root:
        return f"container {spec.name}: readOnlyRootFilesystem is not supported: {here}, and have no root of their own"
    return ""


def kubeconfig(token: str, environment: Mapping[str, str]) -> str:
    """Build a kubeconfig for clients that would look for the service account at its usual path."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "443")
    cluster = {"server": f"https://{host}:{port}", "certificate-authority": f"{token}/ca.crt"}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "windlass", "cluster": cluster}],
        "users": [{"name": "pod", "user": {"tokenFile": f"{token}/token"}}],
        "contexts": [{"name": "pod", "context": {"cluster": "windlass", "user": "pod"}}],
        "current-context": "pod",
    }
    return msgspec.json.encode(config).decode()
