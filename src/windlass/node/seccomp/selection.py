"""Selects the system-call filter of a container: by its manifest, else by its namespace."""

import functools
from collections.abc import Collection
from pathlib import Path

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.seccomp import localhost
from windlass.node.seccomp.bpf import NotCompilable, compile_profile
from windlass.node.seccomp.runtime_default import BY_CAPABILITY, runtime_default

NAMESPACE_DEFAULT = "windlass.dev/seccomp-default"
"""Label of a Namespace: the type of the profile of containers whose manifest sets none."""

RUNTIME_DEFAULT, UNCONFINED, LOCALHOST = "RuntimeDefault", "Unconfined", "Localhost"


class BadSeccompProfile(Exception):
    """The container's seccomp profile cannot be applied; reported as CreateContainerConfigError."""


def requested_profile(pod: Object, container: Object, namespace: Object | None) -> tuple[str, str]:
    """Return the type of the profile ("" for none) and the name of a Localhost profile. The container's wins."""
    for context in (dig_object(container, "securityContext"), dig_object(pod, "spec", "securityContext")):
        profile = dig_object(context, "seccompProfile")
        if profile.get("type"):
            return str(profile["type"]), str(profile.get("localhostProfile") or "")
    default = dig(namespace, "metadata", "labels", NAMESPACE_DEFAULT)
    return (RUNTIME_DEFAULT if default == RUNTIME_DEFAULT else "", "")


def container_filter(kind: str, name: str, container: Object, folder: Path, machine: str) -> bytes:
    """Return the program for seccomp(2), empty for none. Reads Localhost profiles; raises BadSeccompProfile."""
    try:
        if kind == RUNTIME_DEFAULT:
            return _default_filter(frozenset(_capabilities(container)), machine)
        if kind == LOCALHOST:
            return compile_profile(localhost.load(folder, name), machine)
    except (localhost.BadProfile, NotCompilable) as error:
        raise BadSeccompProfile(str(error)) from error
    return b""


def _capabilities(container: Object) -> Collection[str]:
    dropped = dig_list(container, "securityContext", "capabilities", "drop")
    names = {str(name).upper().removeprefix("CAP_") for name in dropped}
    return () if "ALL" in names else BY_CAPABILITY.keys() - names


@functools.cache
def _default_filter(capabilities: frozenset[str], machine: str) -> bytes:
    return compile_profile(runtime_default(capabilities), machine)
