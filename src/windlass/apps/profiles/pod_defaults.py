"""Merge PodDefaults into a pod, as their admission webhook does.

All PodDefaults of the namespace whose selector matches the pod's labels are merged, in the order of their names.
Entries are compared by name; two that differ are a conflict, which refuses the pod whole and names both entries.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from windlass.apis.wellknown import MIRROR_POD_ANNOTATION
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.selector import from_object

EXCLUDE = "poddefault.admission.kubeflow.org/exclude"
MARK_PREFIX = "poddefault.admission.kubeflow.org/poddefault-"
MESH_SIDECAR = "istio-proxy"


@dataclass(frozen=True)
class Conflict:
    """Two entries of one name that differ: `one` and `other` say whose they are, `field` which."""

    field: str
    name: str
    one: str
    other: str

    def __str__(self) -> str:
        return f"{self.field} {self.name!r} of {self.other} differs from that of {self.one}"


class Conflicts(ValueError):
    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        super().__init__("; ".join(map(str, conflicts)))
        self.conflicts = tuple(conflicts)


def is_excluded(pod: Object) -> bool:
    annotations = dig_object(pod, "metadata", "annotations")
    return annotations.get(EXCLUDE) == "true" or MIRROR_POD_ANNOTATION in annotations


def selected(pod_defaults: Iterable[Object], labels: dict[str, str]) -> list[Object]:
    """The PodDefaults that apply to a pod with these labels, in the order of their names."""
    chosen = [each for each in pod_defaults if from_object(dig_object(each, "spec", "selector")).matches(labels)]
    return sorted(chosen, key=_name)


def merged(pod: Object, pod_defaults: Iterable[Object]) -> Object:
    """A new pod with everything that applies to it. Raises Conflicts."""
    if is_excluded(pod):
        return pod
    annotations = dig_object(pod, "metadata", "annotations")
    # Admission may come by twice. What it has added the first time has had its defaults set since.
    chosen = [
        each
        for each in selected(pod_defaults, dig_object(pod, "metadata", "labels"))
        if annotations.get(f"{MARK_PREFIX}{_name(each)}") != _version(each)
    ]
    if not chosen:
        return pod
    merge = _Merge(deepcopy(pod))
    for pod_default in chosen:
        merge.add(pod_default)
    if merge.conflicts:
        raise Conflicts(merge.conflicts)
    return merge.pod


def applied_pod_defaults(pod: Object) -> list[str]:
    """The names of the PodDefaults that a pod carries."""
    annotations = dig_object(pod, "metadata", "annotations")
    return sorted(key.removeprefix(MARK_PREFIX) for key in annotations if key.startswith(MARK_PREFIX))


def _name(pod_default: Object) -> str:
    return str(dig(pod_default, "metadata", "name") or "")


def _version(pod_default: Object) -> str:
    return str(dig(pod_default, "metadata", "resourceVersion") or "")


class _Merge:
    """A pod that is being merged into. The containers are those of the beginning: added ones get nothing more."""

    def __init__(self, pod: Object) -> None:
        self.pod = pod
        self.conflicts: list[Conflict] = []
        self._owners: dict[tuple[str, str, str], str] = {}
        """PodDefaults by the container (empty for the pod), the field and the name of what they have added."""
        self._spec: Object = pod.setdefault("spec", {})
        self._containers: list[Object] = list(self._spec.get("containers") or [])

    def add(self, pod_default: Object) -> None:
        name, spec = _name(pod_default), dig_object(pod_default, "spec")
        self._entries(self._spec, "volumes", spec, name, by_name)
        self._entries(self._spec, "tolerations", spec, name, by_key)
        self._entries(self._spec, "imagePullSecrets", spec, name, by_name)
        for container in self._containers:
            self._entries(container, "env", spec, name, by_name, place=by_name(container))
            self._mounts(container, spec, name)
            if spec.get("envFrom"):
                container["envFrom"] = [*(container.get("envFrom") or ()), *deepcopy(spec["envFrom"])]
            self._command(container, spec)
        self._entries(self._spec, "initContainers", spec, name, by_name)
        self._entries(self._spec, "containers", {"containers": spec.get("sidecars") or []}, name, by_name)
        self._pairs("annotations", spec, name)
        self._pairs("labels", spec, name)
        if spec.get("serviceAccountName"):
            self._spec["serviceAccountName"] = spec["serviceAccountName"]
        if spec.get("automountServiceAccountToken") is not None:
            self._spec["automountServiceAccountToken"] = spec["automountServiceAccountToken"]
        self._metadata("annotations")[f"{MARK_PREFIX}{name}"] = _version(pod_default)

    def _entries(
        self,
        target: Object,
        field: str,
        spec: Object,
        owner: str,
        key_of: Callable[[Object], str],
        *,
        place: str = "",
    ) -> None:
        known = {key_of(entry): entry for entry in target.get(field) or ()}
        for entry in spec.get(field) or ():
            key = key_of(entry)
            if key not in known:
                known[key] = deepcopy(entry)
                target[field] = [*(target.get(field) or ()), known[key]]
                self._owners[place, field, key] = owner
            elif known[key] != entry:
                self._conflict(field, key, owner, self._owners.get((place, field, key)))

    def _mounts(self, container: Object, spec: Object, owner: str) -> None:
        """Mounts conflict by the name of their volume and by their path."""
        for mount in spec.get("volumeMounts") or ():
            mounts: list[Object] = container.get("volumeMounts") or []
            alike = [known for known in mounts if by_name(known) == by_name(mount) or _same_path(known, mount)]
            differing = next((known for known in alike if known != mount), None)
            if not alike:
                container["volumeMounts"] = [*mounts, deepcopy(mount)]
                self._owners[by_name(container), "volumeMounts", _shown(mount)] = owner
            elif differing is not None:
                before = self._owners.get((by_name(container), "volumeMounts", _shown(differing)))
                self._conflict("volumeMounts", _shown(mount), owner, before)

    def _command(self, container: Object, spec: Object) -> None:
        if container.get("name") == MESH_SIDECAR:
            return
        for field in ("command", "args"):
            if spec.get(field) and not container.get(field):
                container[field] = list(spec[field])

    def _pairs(self, field: str, spec: Object, owner: str) -> None:
        target = self._metadata(field)
        given = set(target)
        for key, value in dig_object(spec, field).items():
            if target.setdefault(key, value) != value:
                self._conflict(field, key, owner, self._owners.get(("", field, key)))
            elif key not in given:
                self._owners.setdefault(("", field, key), owner)

    def _metadata(self, field: str) -> dict[str, str]:
        metadata: Object = self.pod.setdefault("metadata", {})
        if not metadata.get(field):
            metadata[field] = {}
        return metadata[field]

    def _conflict(self, field: str, key: str, owner: str, before: str | None) -> None:
        one = f"PodDefault {before!r}" if before else "the pod"
        self.conflicts.append(Conflict(field, key, one, f"PodDefault {owner!r}"))


def by_name(entry: Any) -> str:
    return str(entry.get("name") or "")


def by_key(entry: Any) -> str:
    return str(entry.get("key") or "")


def _shown(mount: Object) -> str:
    return f"{by_name(mount)} at {mount.get('mountPath')}"


def _same_path(one: Object, other: Object) -> bool:
    return bool(one.get("mountPath")) and one.get("mountPath") == other.get("mountPath")
