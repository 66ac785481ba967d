"""Pods and PodTemplates: their strategy.

The parts: `pod_defaults` sets defaults, `pod_validation` (with containers, volumes, placement, security contexts)
validates, `pod_updates` defines what may change.
"""

from typing import Any

from windlass.apiserver.builtin.fields import Causes
from windlass.apiserver.builtin.pod_defaults import default_pod, default_template
from windlass.apiserver.builtin.pod_qos import qos_class
from windlass.apiserver.builtin.pod_updates import (
    keep_all_but_ephemeral,
    keep_all_but_resources,
    validate_pod_update,
    validate_subresource_update,
)
from windlass.apiserver.builtin.pod_validation import check_pod_spec, check_template
from windlass.apiserver.builtin.pod_warnings import (
    metadata_warnings,
    pod_warnings,
    spec_warnings,
    template_warnings,
)
from windlass.apiserver.builtin.strategy import Builtin, Plain
from windlass.kube.errors import Cause, Invalid
from windlass.kube.json import Object, dig, encode
from windlass.kube.series import Series

TOKEN_VOLUME = "kube-api-access-"
GATED: Object = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
    "lastProbeTime": None,
    "lastTransitionTime": None,
}


class Pods(Builtin):
    written_with_status = ("labels", "annotations", "finalizers")
    returns_deleted = True

    def __init__(self, *, has_status: bool = False) -> None:
        super().__init__(has_status=has_status)
        self.prototypes = Series[Any]()
        self._valid: Series[list[str]] = Series()
        """The warnings about each valid spec."""

    def default(self, obj: Object) -> None:
        default_pod(obj)

    def prepare_create(self, obj: Object) -> None:
        spec: Object = obj.get("spec") or {}
        gated: Object = {"conditions": [dict(GATED)]} if spec.get("schedulingGates") else {}
        obj["status"] = {"phase": "Pending", "qosClass": qos_class(spec), **gated}

    def validate(self, obj: Object) -> list[Cause]:
        return self._known(obj.get("spec") or {})[0]

    def validate_create(self, obj: Object) -> tuple[list[Cause], list[str]]:
        causes, warnings = self._known(obj.get("spec") or {})
        return causes, [] if causes else [*metadata_warnings("metadata", obj.get("metadata") or {}), *warnings]

    def _known(self, spec: Object) -> tuple[list[Cause], list[str]]:
        """The errors and warnings of a spec, computed once for a series of identical pods."""
        likeness = _likeness(spec)
        warnings = self._valid.get(likeness)
        if warnings is not None:
            return [], warnings
        causes: Causes = []
        check_pod_spec("spec", spec, causes)
        if causes:
            return causes, []
        warnings = spec_warnings("spec", spec)
        self._valid.put(likeness, warnings)
        return [], warnings

    def prepare_update(self, new: Object, old: Object) -> None:
        """Refuse what only a subresource may change: `validate_update` also sees the writes of subresources."""
        super().prepare_update(new, old)
        causes = validate_pod_update(new, old)
        if causes:
            raise Invalid.of("Pod", "", dig(old, "metadata", "name") or "", causes)

    def prepare_subresource(self, subresource: str, new: Object, old: Object) -> None:
        if subresource == "ephemeralcontainers":
            keep_all_but_ephemeral(new, old)
        elif subresource == "resize":
            keep_all_but_resources(new, old)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        return validate_subresource_update(new, old)

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        spec: Object = obj.get("spec") or {}
        status: Object = obj.get("status") or {}
        return {
            "spec.nodeName": spec.get("nodeName", ""),
            "spec.restartPolicy": spec.get("restartPolicy", ""),
            "spec.schedulerName": spec.get("schedulerName", ""),
            "spec.serviceAccountName": spec.get("serviceAccountName", ""),
            "spec.hostNetwork": "true" if spec.get("hostNetwork") else "false",
            "status.phase": status.get("phase", ""),
            "status.podIP": status.get("podIP", ""),
            "status.nominatedNodeName": status.get("nominatedNodeName", ""),
        }

    def warnings(self, obj: Object) -> list[str]:
        return pod_warnings(obj)


def _likeness(spec: Object) -> bytes:
    """The spec's bytes without the random name of the token volume, which differs between pods of a series."""
    whole = encode(spec)
    volumes = spec.get("volumes")
    name: str = volumes[-1].get("name", "") if volumes else ""
    if not name.startswith(TOKEN_VOLUME):
        return whole
    return whole.replace(b'"%b"' % name.encode(), b"\0")  # which no JSON contains


class PodTemplates(Plain):
    returns_deleted = True

    def default(self, obj: Object) -> None:
        default_template(obj.setdefault("template", {}))

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        check_template("template", obj.get("template") or {}, causes)
        return causes

    def warnings(self, obj: Object) -> list[str]:
        return template_warnings("template", obj.get("template") or {})
