"""Pod Security admission: the levels that the labels of a namespace name are enforced on its pods, or warned of.

Pods that violate the level of `enforce` are refused. For `warn` the client is warned, of pods and of objects that
create pods; for `audit` the same is recorded in the audit log. The version of a mode selects the rules of that
Kubernetes release.
"""

import re
from typing import ClassVar, TypeAlias

from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.admission.pod_security_standards import LEVELS, Level, violations
from windlass.apiserver.api import Api
from windlass.kube.errors import Cause, Invalid, invalid
from windlass.kube.json import Object, dig, dig_object

PREFIX = "pod-security.kubernetes.io/"
MODES = ("enforce", "audit", "warn")
_VERSION = re.compile(r"latest|v1\.(0|[1-9][0-9]*)")
_PODS, _NAMESPACES = "/pods", "/namespaces"
_TEMPLATES: dict[str, tuple[str, ...]] = {
    "apps/deployments": ("spec", "template"),
    "apps/replicasets": ("spec", "template"),
    "apps/statefulsets": ("spec", "template"),
    "apps/daemonsets": ("spec", "template"),
    "batch/jobs": ("spec", "template"),
    "batch/cronjobs": ("spec", "jobTemplate", "spec", "template"),
    "/replicationcontrollers": ("spec", "template"),
    "/podtemplates": ("template",),
}
"""Where objects that create pods have the template."""

Policy: TypeAlias = tuple[Level, str]
"""A level and the version of its rules."""


class PodSecurity(Plugin):
    """Enforces the Pod Security Standards that the labels of a namespace name."""

    operations: ClassVar[frozenset[str]] = frozenset({"CREATE", "UPDATE"})
    kinds: ClassVar[frozenset[str]] = frozenset({_PODS, _NAMESPACES, *_TEMPLATES})
    subresources: ClassVar[frozenset[str]] = frozenset({"", "ephemeralcontainers"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def validate(self, attributes: Attributes) -> None:
        key, obj = attributes.resource.store_key, attributes.obj
        if obj is None:
            return
        if key == _NAMESPACES:
            _check_labels(attributes.name, obj, attributes.old)
            return
        labels = dig_object(self._api.read(_NAMESPACES, "", attributes.namespace) or {}, "metadata", "labels")
        if not any(name.startswith(PREFIX) for name in labels):
            return
        if key == _PODS:
            self._check_pod(attributes, obj, labels)
        else:
            template = dig(obj, *_TEMPLATES[key])
            if isinstance(template, dict):
                _warn_and_record(attributes, dig_object(obj, *_TEMPLATES[key]), labels)

    def _check_pod(self, attributes: Attributes, pod: Object, labels: Object) -> None:
        if attributes.old is not None and not _matters(attributes.old, pod):
            return
        level, version = policy(labels, "enforce")
        attributes.annotations[f"{PREFIX}enforce-policy"] = f"{level}:{version}"
        found = violations(level, pod, version)
        _record(attributes, pod, labels)
        if found:
            raise attributes.forbid(f'violates PodSecurity "{level}:{version}": {", ".join(map(str, found))}')
        _warn(attributes, pod, labels)


def policy(labels: Object, mode: str) -> Policy:
    """Return the policy of a mode; labels that are invalid are treated as the strictest level, as Kubernetes does."""
    given = labels.get(f"{PREFIX}{mode}")
    version = str(labels.get(f"{PREFIX}{mode}-version") or "latest")
    if not given:
        return "privileged", version
    for level in LEVELS:
        if level == given:
            return level, version
    return "restricted", version


def _warn_and_record(attributes: Attributes, pod: Object, labels: Object) -> None:
    _record(attributes, pod, labels)
    _warn(attributes, pod, labels)


def _record(attributes: Attributes, pod: Object, labels: Object) -> None:
    violated = _would_violate(labels, "audit", pod)
    if violated:
        attributes.annotations[f"{PREFIX}audit-violations"] = violated


def _would_violate(labels: Object, mode: str, pod: Object) -> str:
    """What the level of the mode forbids, in a sentence; empty if nothing."""
    level, version = policy(labels, mode)
    found = violations(level, pod, version)
    return f'would violate PodSecurity "{level}:{version}": {", ".join(map(str, found))}' if found else ""


def _warn(attributes: Attributes, pod: Object, labels: Object) -> None:
    warning = _would_violate(labels, "warn", pod)
    if warning and warning not in attributes.warnings:  # where webhooks are configured, plugins run twice for one write
        attributes.warnings.append(warning)


def _matters(old: Object, new: Object) -> bool:
    """Whether an update of a pod changes what the standards are about: of a pod that runs, only little can change."""
    fields = ("containers", "initContainers", "ephemeralContainers")
    return any(dig(old, "spec", field) != dig(new, "spec", field) for field in fields) or dig(
        old, "metadata", "annotations"
    ) != dig(new, "metadata", "annotations")


def _check_labels(name: str, namespace: Object, old: Object | None) -> None:
    labels = dig_object(namespace, "metadata", "labels")
    before = dig_object(old or {}, "metadata", "labels")
    causes = [
        cause
        for label, value in labels.items()
        if label.startswith(PREFIX) and before.get(label) != value and (cause := _label_problem(label, str(value)))
    ]
    if causes:
        raise Invalid.of("Namespace", "", name, causes)


def _label_problem(label: str, value: str) -> Cause | None:
    mode = label.removeprefix(PREFIX)
    if mode in MODES and value not in LEVELS:
        expected = "must be one of privileged, baseline, restricted"
    elif mode.removesuffix("-version") in MODES and mode not in MODES and not _VERSION.fullmatch(value):
        expected = 'must be "latest" or "v1.x"'
    else:
        return None
    return invalid(f"metadata.labels[{label}]", value, expected)
