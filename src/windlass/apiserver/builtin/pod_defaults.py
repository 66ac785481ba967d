"""Defaults of pods, and of the pod templates of workloads.

`default_pod` is for pods; `default_template` is for workloads (a template gets no service links and no requests from
limits: its pods do). An empty string or a zero counts as absent, as in Kubernetes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from windlass.apiserver.builtin.fields import canonical, canonicalize
from windlass.kube.json import Object


def default_pod(obj: Object) -> None:
    spec: Object | None = obj.get("spec")
    if spec is None:
        spec = obj["spec"] = {}
    default_pod_spec(spec)
    if "enableServiceLinks" not in spec:
        spec["enableServiceLinks"] = True
    for container in spec.get("containers") or ():
        _request_what_is_limited(container)
    for container in spec.get("initContainers") or ():
        _request_what_is_limited(container)
    if spec.get("resources"):
        _request_what_is_limited(spec)
    if spec.get("hostNetwork"):
        _publish_ports_on_host(spec)


def default_template(template: Object) -> None:
    """Set the defaults of a pod template; its spec exists after the schema check, but may be empty."""
    spec: Object | None = template.get("spec")
    if spec is None:
        spec = template["spec"] = {}
    default_pod_spec(spec)


def default_pod_spec(spec: Object) -> None:
    if not spec.get("restartPolicy"):
        spec["restartPolicy"] = "Always"
    if not spec.get("dnsPolicy"):
        spec["dnsPolicy"] = "ClusterFirst"
    if not spec.get("schedulerName"):
        spec["schedulerName"] = "default-scheduler"
    if "terminationGracePeriodSeconds" not in spec:
        spec["terminationGracePeriodSeconds"] = 30
    if "securityContext" not in spec:
        spec["securityContext"] = {}
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        # The old name of the field is kept in step with the new one for old clients.
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for container in spec.get("containers") or ():
        default_container(container)
    for container in spec.get("initContainers") or ():
        default_container(container)
    for container in spec.get("ephemeralContainers") or ():
        default_container(container)
    for volume in spec.get("volumes") or ():
        default_volume(volume)
    overhead = spec.get("overhead")
    if overhead:
        canonicalize(overhead)
    resources = spec.get("resources")
    if resources:
        _canonicalize_resources(resources)


def default_container(container: Object) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = pull_policy(container.get("image") or "")
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    resources = container.get("resources")
    if resources is None:
        container["resources"] = {}
    else:
        _canonicalize_resources(resources)
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    for variable in container.get("env") or ():
        source = variable.get("valueFrom")
        if source:
            _default_field_source(source)
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is not None:
            _default_probe(probe)
    lifecycle = container.get("lifecycle")
    if lifecycle:
        _default_http(lifecycle.get("postStart"))
        _default_http(lifecycle.get("preStop"))


@lru_cache(maxsize=4096)
def pull_policy(image: str) -> str:
    """The default pull policy: `Always` for `:latest` and without a tag, otherwise `IfNotPresent`."""
    if "@" in image:
        return "IfNotPresent"
    tag = image.rpartition("/")[2].partition(":")[2]
    return "Always" if tag in ("", "latest") else "IfNotPresent"


def _canonicalize_resources(resources: Object) -> None:
    limits = resources.get("limits")
    if limits:
        canonicalize(limits)
    requests = resources.get("requests")
    if requests:
        canonicalize(requests)


def _request_what_is_limited(container: Object) -> None:
    resources = container.get("resources")
    limits = resources.get("limits") if resources else None
    if not limits or resources is None:
        return
    requests = resources.get("requests")
    if requests is None:
        resources["requests"] = dict(limits)
        return
    for name, value in limits.items():
        if name not in requests:
            requests[name] = value


def _publish_ports_on_host(spec: Object) -> None:
    for field in ("containers", "initContainers"):
        for container in spec.get(field) or ():
            for port in container.get("ports") or ():
                if not port.get("hostPort") and port.get("containerPort"):
                    port["hostPort"] = port["containerPort"]


def _default_field_source(source: Object) -> None:
    """Set the defaults of an environment variable's source or of a downward API file."""
    reference = source.get("fieldRef")
    if reference is not None and not reference.get("apiVersion"):
        reference["apiVersion"] = "v1"
    resource = source.get("resourceFieldRef")
    if resource is not None:
        resource["divisor"] = canonical(resource.get("divisor", "0"))


_PROBE_NUMBERS = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def _default_probe(probe: Object) -> None:
    for field, number in _PROBE_NUMBERS.items():
        if not probe.get(field):
            probe[field] = number
    _default_http(probe)
    grpc = probe.get("grpc")
    if grpc is not None:
        grpc.setdefault("service", "")


def _default_http(handler: Object | None) -> None:
    get = handler.get("httpGet") if handler else None
    if get is not None:
        if not get.get("path"):
            get["path"] = "/"
        if not get.get("scheme"):
            get["scheme"] = "HTTP"


def default_volume(volume: Object) -> None:
    if len(volume) == 1 and "name" in volume:
        volume["emptyDir"] = {}
        return
    for source, value in volume.items():
        fill = _VOLUME_DEFAULTS.get(source)
        if fill is not None:
            fill(value)


def _default_mode(source: Object) -> None:
    if "defaultMode" not in source:
        source["defaultMode"] = 420


def _default_empty_dir(source: Object) -> None:
    if "sizeLimit" in source:
        source["sizeLimit"] = canonical(source["sizeLimit"])


def _default_host_path(source: Object) -> None:
    source.setdefault("type", "")


def _default_downward(source: Object) -> None:
    _default_mode(source)
    _default_items(source)


def _default_items(source: Object) -> None:
    for item in source.get("items") or ():
        _default_field_source(item)


def _default_projected(source: Object) -> None:
    _default_mode(source)
    for projection in source.get("sources") or ():
        token = projection.get("serviceAccountToken")
        if token is not None and "expirationSeconds" not in token:
            token["expirationSeconds"] = 3600
        downward = projection.get("downwardAPI")
        if downward:
            _default_items(downward)


def _default_ephemeral(source: Object) -> None:
    template = source.get("volumeClaimTemplate")
    if template:
        default_claim_spec(template.setdefault("spec", {}))


def default_claim_spec(spec: Object) -> None:
    """Set the defaults of a PersistentVolumeClaim's spec, in a claim or a template."""
    if not spec.get("volumeMode"):
        spec["volumeMode"] = "Filesystem"
    resources = spec.get("resources")
    if resources:
        _canonicalize_resources(resources)


def _default_image(source: Object) -> None:
    if not source.get("pullPolicy"):
        source["pullPolicy"] = pull_policy(source.get("reference") or "")


def _defaults(**values: Any) -> Callable[[Object], None]:
    def fill(source: Object) -> None:
        for field, value in values.items():
            source.setdefault(field, value)

    return fill


_VOLUME_DEFAULTS: dict[str, Callable[[Object], None]] = {
    "secret": _default_mode,
    "configMap": _default_mode,
    "downwardAPI": _default_downward,
    "projected": _default_projected,
    "emptyDir": _default_empty_dir,
    "hostPath": _default_host_path,
    "ephemeral": _default_ephemeral,
    "image": _default_image,
    "iscsi": _defaults(iscsiInterface="default"),
    "rbd": _defaults(pool="rbd", user="admin", keyring="/etc/ceph/keyring"),
    "azureDisk": _defaults(cachingMode="ReadWrite", kind="Shared", fsType="ext4", readOnly=False),
    "scaleIO": _defaults(storageMode="ThinProvisioned", fsType="xfs"),
}
