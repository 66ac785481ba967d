"""One small, good object of every built-in kind, and the path of a write (default, prepare, validate) in one call."""

from base64 import b64encode
from copy import deepcopy
from typing import Any

from windlass.apiserver.builtin import RESOURCES
from windlass.apiserver.resources import Resource, Strategy
from windlass.kube.json import Object

UID = "8f0c1a3e-0000-4000-8000-000000000001"
RBAC = "rbac.authorization.k8s.io"


def resource_of(kind: str, group: str = "", version: str = "v1") -> Resource:
    return next(r for r in RESOURCES if (r.group, r.version, r.kind) == (group, version, kind))


def strategy_of(obj: Object) -> Strategy:
    group, slash, version = obj["apiVersion"].rpartition("/")
    return resource_of(obj["kind"], group if slash else "", version).strategy


def defaulted(obj: Object) -> Object:
    made = deepcopy(obj)
    strategy_of(made).default(made)
    return made


def created(obj: Object) -> Object:
    """As the store would have it, without what the verbs add."""
    made = defaulted(obj)
    strategy_of(made).prepare_create(made)
    return made


def causes_of(obj: Object) -> list[tuple[str, str]]:
    """What is wrong with creating the object: fields and messages."""
    made = created(obj)
    return [(cause.field, cause.message) for cause in strategy_of(made).validate(made)]


def update_causes(new: Object, old: Object) -> list[tuple[str, str]]:
    """What is wrong with the step from one created object to another."""
    before, after = created(old), created(new)
    strategy = strategy_of(after)
    strategy.prepare_update(after, before)
    found = [*strategy.validate(after), *strategy.validate_update(after, before)]
    return [(cause.field, cause.message) for cause in found]


def changed(obj: Object, path: str, value: Any) -> Object:
    """A copy with the value at `path` (`spec.containers.0.image`); None takes it away."""
    made = deepcopy(obj)
    at: Any = made
    *steps, last = path.split("|") if "|" in path else path.split(".")
    for step in steps:
        at = at[int(step)] if isinstance(at, list) else at.setdefault(step, {})
    key: Any = int(last) if isinstance(at, list) else last
    if value is None:
        del at[key]
    else:
        at[key] = value
    return made


def an(api_version: str, kind: str, namespace: str = "default", /, **fields: Any) -> Object:
    meta: Object = {"name": "a", "namespace": namespace, "uid": UID}
    if not namespace:
        del meta["namespace"]
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **fields}


def a_container(**fields: Any) -> Object:
    return {"name": "main", "image": "nginx", **fields}


def a_pod(*containers: Object, **spec: Any) -> Object:
    return an("v1", "Pod", spec={"containers": list(containers) or [a_container()], **spec})


def a_template(**spec: Any) -> Object:
    return {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [a_container()], **spec}}


def a_workload(kind: str, **spec: Any) -> Object:
    own = {"selector": {"matchLabels": {"app": "a"}}, "template": a_template()}
    return an("apps/v1", kind, spec={**own, **spec})


def a_job(**spec: Any) -> Object:
    return an("batch/v1", "Job", spec={"template": {"spec": a_template(restartPolicy="Never")["spec"]}, **spec})


def a_service(**spec: Any) -> Object:
    return an("v1", "Service", spec={"ports": [{"port": 80}], "selector": {"app": "a"}, **spec})


def a_claim(**spec: Any) -> Object:
    own = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return an("v1", "PersistentVolumeClaim", spec={**own, **spec})


def a_webhook(**fields: Any) -> Object:
    own: Object = {
        "name": "check.windlass.dev",
        "clientConfig": {"url": "https://example.com/check"},
        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return {**own, **fields}


def an_autoscaler(version: str = "v2", **spec: Any) -> Object:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    own = {"scaleTargetRef": target, "maxReplicas": 5}
    return an(f"autoscaling/{version}", "HorizontalPodAutoscaler", spec={**own, **spec})


def base64(text: str) -> str:
    return b64encode(text.encode()).decode()


_POLICY_RULES = [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]
_ROLE_RULES = [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]
_PEM = base64("-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n")

EXAMPLES: list[Object] = [
    a_pod(),
    a_service(),
    a_claim(),
    a_job(),
    an_autoscaler(),
    an_autoscaler("v1"),
    *(a_workload(kind) for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")),
    an("apps/v1", "ControllerRevision", revision=1, data={"a": 1}),
    an("v1", "ConfigMap", data={"a": "b"}),
    an("v1", "Secret", stringData={"a": "b"}),
    an("v1", "Endpoints", subsets=[{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]),
    an("v1", "Event", involvedObject={"kind": "Pod", "name": "a", "namespace": "default"}, reason="Started"),
    an("v1", "LimitRange", spec={"limits": [{"type": "Container", "max": {"cpu": "1"}}]}),
    an("v1", "Namespace", ""),
    an("v1", "Node", "", status={"capacity": {"cpu": "2"}}),
    an(
        "v1",
        "PersistentVolume",
        "",
        spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}},
    ),
    an("v1", "PodTemplate", template=a_template()),
    an("v1", "ReplicationController", spec={"template": a_template()}),
    an("v1", "ResourceQuota", spec={"hard": {"pods": "10", "requests.cpu": 4}}),
    an("v1", "ServiceAccount"),
    an("batch/v1", "CronJob", spec={"schedule": "*/5 * * * *", "jobTemplate": {"spec": a_job()["spec"]}}),
    an(
        "networking.k8s.io/v1",
        "Ingress",
        spec={"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}},
    ),
    an("networking.k8s.io/v1", "IngressClass", "", spec={"controller": "example.com/ingress"}),
    an("networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]}),
    {
        **an("networking.k8s.io/v1", "IPAddress", "", spec={"parentRef": {"resource": "services", "name": "web"}}),
        "metadata": {"name": "192.0.2.1", "uid": UID},
    },
    an("networking.k8s.io/v1", "ServiceCIDR", "", spec={"cidrs": ["192.0.2.0/24"]}),
    an("policy/v1", "PodDisruptionBudget", spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}),
    an(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        addressType="IPv4",
        endpoints=[{"addresses": ["10.0.0.1"]}],
        ports=[{"port": 80}],
    ),
    an(
        "events.k8s.io/v1",
        "Event",
        regarding={"kind": "Pod", "name": "a", "namespace": "default"},
        eventTime="2026-01-01T00:00:00.000000Z",
        reportingController="windlass.dev/test",
        reportingInstance="test-1",
        action="Starting",
        reason="Started",
        type="Normal",
    ),
    an(f"{RBAC}/v1", "Role", rules=_ROLE_RULES),
    an(f"{RBAC}/v1", "ClusterRole", "", rules=_ROLE_RULES),
    an(
        f"{RBAC}/v1",
        "RoleBinding",
        roleRef={"kind": "Role", "name": "a"},
        subjects=[{"kind": "ServiceAccount", "name": "default", "namespace": "default"}],
    ),
    an(
        f"{RBAC}/v1",
        "ClusterRoleBinding",
        "",
        roleRef={"kind": "ClusterRole", "name": "a"},
        subjects=[{"kind": "User", "name": "ann"}],
    ),
    an(
        "flowcontrol.apiserver.k8s.io/v1",
        "FlowSchema",
        "",
        spec={
            "priorityLevelConfiguration": {"name": "a"},
            "rules": [
                {
                    "subjects": [{"kind": "User", "user": {"name": "ann"}}],
                    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/metrics"]}],
                }
            ],
        },
    ),
    an(
        "flowcontrol.apiserver.k8s.io/v1",
        "PriorityLevelConfiguration",
        "",
        spec={"type": "Limited", "limited": {"limitResponse": {"type": "Queue", "queuing": {}}}},
    ),
    an("scheduling.k8s.io/v1", "PriorityClass", "", value=100),
    an("node.k8s.io/v1", "RuntimeClass", "", handler="runc"),
    an("storage.k8s.io/v1", "StorageClass", "", provisioner="windlass.dev/local"),
    an("storage.k8s.io/v1", "CSIDriver", "", spec={}),
    an("storage.k8s.io/v1", "CSINode", "", spec={"drivers": []}),
    an("storage.k8s.io/v1", "CSIStorageCapacity", storageClassName="fast", capacity="1024Mi"),
    an(
        "storage.k8s.io/v1",
        "VolumeAttachment",
        "",
        spec={"attacher": "x", "nodeName": "n", "source": {"persistentVolumeName": "pv"}},
    ),
    an("storage.k8s.io/v1", "VolumeAttributesClass", "", driverName="x"),
    an("coordination.k8s.io/v1", "Lease", spec={"leaseDurationSeconds": 15}),
    an(
        "certificates.k8s.io/v1",
        "CertificateSigningRequest",
        "",
        spec={"request": _PEM, "signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]},
    ),
    an("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "", webhooks=[a_webhook()]),
    an("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "", webhooks=[a_webhook()]),
    an(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
        "",
        spec={
            "matchConstraints": {"resourceRules": _POLICY_RULES},
            "validations": [{"expression": "object.metadata.name != 'x'"}],
        },
    ),
    an(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
        "",
        spec={"policyName": "a", "validationActions": ["Deny"]},
    ),
]


def example(kind: str, group: str = "", version: str = "v1") -> Object:
    wanted = f"{group}/{version}" if group else version
    return deepcopy(next(obj for obj in EXAMPLES if obj["kind"] == kind and obj["apiVersion"] == wanted))
