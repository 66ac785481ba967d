"""Warnings about accepted pods: deprecated fields and likely mistakes."""

from typing import Any

from windlass.apis.wellknown import BETA_ARCH_LABEL, BETA_OS_LABEL
from windlass.kube.json import Object, dig_list

_DEPRECATED_NODE_LABELS = {
    BETA_ARCH_LABEL: 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    BETA_OS_LABEL: 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
}
_DEPRECATED_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
    "seccomp.security.alpha.kubernetes.io/pod": 'non-functional in v1.27+; use the "seccompProfile" field instead',
}
_NON_FUNCTIONAL_VOLUMES = {
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}


def pod_warnings(obj: Object) -> list[str]:
    meta: Object = obj.get("metadata") or {}
    return [*metadata_warnings("metadata", meta), *spec_warnings("spec", obj.get("spec") or {})]


def template_warnings(path: str, template: Object) -> list[str]:
    meta: Object = template.get("metadata") or {}
    return [*metadata_warnings(f"{path}.metadata", meta), *spec_warnings(f"{path}.spec", template.get("spec") or {})]


def metadata_warnings(path: str, meta: Object) -> list[str]:
    return [
        f"{path}.annotations[{key}]: {_DEPRECATED_ANNOTATIONS[key]}"
        for key in meta.get("annotations") or ()
        if key in _DEPRECATED_ANNOTATIONS
    ]


def spec_warnings(path: str, spec: Object) -> list[str]:
    found: list[str] = []
    for key in spec.get("nodeSelector") or ():
        if key in _DEPRECATED_NODE_LABELS:
            found.append(f"{path}.nodeSelector[{key}]: {_DEPRECATED_NODE_LABELS[key]}")
    for index, volume in enumerate(dig_list(spec, "volumes")):
        for source in volume:
            if source in _NON_FUNCTIONAL_VOLUMES:
                found.append(f"{path}.volumes[{index}].{source}: {_NON_FUNCTIONAL_VOLUMES[source]}")
    for field in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(field) or ()):
            _warn_about_container(f"{path}.{field}[{index}]", container, found)
    _warn_about_names(path, spec, found)
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        found.append(
            f"{path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"
        )
    return found


def _warn_about_container(path: str, container: Object, found: list[str]) -> None:
    env = container.get("env")
    if env and len(env) > 1:
        _warn_about_env(path, env, found)
    ports = container.get("ports")
    if ports and len(ports) > 1:
        seen: set[tuple[Any, ...]] = set()
        for index, port in enumerate(ports):
            key = (port.get("containerPort"), port.get("protocol"), port.get("hostPort"), port.get("hostIP"))
            if key in seen:
                found.append(
                    f"{path}.ports[{index}]: duplicate port definition with {path}.ports[{_first(ports, key)}]"
                )
            seen.add(key)
    resources: Object = container.get("resources") or {}
    for part, quantities in resources.items():
        memory = quantities.get("memory") if part in ("limits", "requests") and quantities else None
        if isinstance(memory, str) and memory.endswith("m"):
            found.append(
                f'{path}.resources.{part}[memory]: fractional byte value "{memory}" is invalid, must be an integer'
            )


def _first(ports: list[Object], key: tuple[Any, ...]) -> int:
    return next(
        index
        for index, port in enumerate(ports)
        if (port.get("containerPort"), port.get("protocol"), port.get("hostPort"), port.get("hostIP")) == key
    )


def _warn_about_env(path: str, env: list[Object], found: list[str]) -> None:
    seen: dict[str, str] = {}
    for index, variable in enumerate(env):
        name, value = variable.get("name", ""), variable.get("value") or ""
        # A variable that extends the earlier one by $(NAME) is not a mistake.
        if name in seen and f"$({name})" not in value:
            found.append(
                f'{path}.env[{index}]: hides previous definition of "{name}", which may be dropped when using apply'
            )
        seen[name] = value


def _warn_about_names(path: str, spec: Object, found: list[str]) -> None:
    secrets: set[str] = set()
    for index, secret in enumerate(spec.get("imagePullSecrets") or ()):
        name = secret.get("name", "")
        if not name:
            found.append(f"{path}.imagePullSecrets[{index}].name: must not be empty")
        elif name in secrets:
            found.append(f'{path}.imagePullSecrets[{index}].name: duplicate name "{name}"')
        secrets.add(name)
