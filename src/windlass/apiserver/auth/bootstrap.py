"""The default roles and bindings of every cluster, with Kubernetes' names.

A rule is one line: `verbs | API groups | resources`, or `verbs | paths`; `core` is the group without a name.
`default_objects` returns the manifests. At every start `reconciled` restores permissions and subjects that were removed
from a stored object, keeps those that were added, and skips objects whose autoupdate annotation is "false".
"""

from collections.abc import Iterable, Mapping

from windlass.apis.machine_viewers import MACHINE_VIEWERS
from windlass.apis.wellknown import RBAC_GROUP
from windlass.apiserver.auth import kubeflow
from windlass.apiserver.auth.aggregation import aggregate
from windlass.apiserver.auth.rules import compile_rules, missing
from windlass.apiserver.auth.user import AUTHENTICATED, MASTERS, NODES, SERVICE_ACCOUNTS, UNAUTHENTICATED
from windlass.apps import all_apps
from windlass.kube.json import Object, dig, dig_list, dig_object

GROUP = RBAC_GROUP
AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate"
LABELS = {"kubernetes.io/bootstrapping": "rbac-defaults"}

READ = "get list watch"
WRITE = "create delete deletecollection patch update"
ALL_VERBS = f"{READ} {WRITE}"

_WORKLOADS = "daemonsets deployments deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale"
_CORE_KEPT = (
    "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets "
    "serviceaccounts services services/proxy"
)
_STREAMS = "pods/attach pods/exec pods/portforward pods/proxy"
_HEALTH = "/healthz /livez /readyz /version /version/"

VIEW = (
    f"{READ} | core | configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods "
    "replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
    f"{READ} | core | bindings events limitranges namespaces/status pods/log pods/status "
    "replicationcontrollers/status resourcequotas resourcequotas/status",
    f"{READ} | core | namespaces",
    f"{READ} | discovery.k8s.io | endpointslices",
    f"{READ} | apps | controllerrevisions daemonsets/status deployments/status replicasets/status "
    f"statefulsets/status {_WORKLOADS}",
    f"{READ} | autoscaling | horizontalpodautoscalers horizontalpodautoscalers/status",
    f"{READ} | batch | cronjobs cronjobs/status jobs jobs/status",
    f"{READ} | policy | poddisruptionbudgets poddisruptionbudgets/status",
    f"{READ} | networking.k8s.io | ingresses ingresses/status networkpolicies",
)
EDIT = (
    f"{READ} | core | {_STREAMS} secrets services/proxy",
    "impersonate | core | serviceaccounts",
    f"{WRITE} | core | pods {_STREAMS}",
    "create | core | pods/eviction serviceaccounts/token",
    f"{WRITE} | core | {_CORE_KEPT}",
    f"{WRITE} | apps | deployments/rollback {_WORKLOADS}",
    f"{WRITE} | autoscaling | horizontalpodautoscalers",
    f"{WRITE} | batch | cronjobs jobs",
    f"{WRITE} | policy | poddisruptionbudgets",
    f"{WRITE} | networking.k8s.io | ingresses networkpolicies",
    f"{ALL_VERBS} | coordination.k8s.io | leases",
)
ADMIN = (
    "create | authorization.k8s.io | localsubjectaccessreviews",
    f"{ALL_VERBS} | {GROUP} | rolebindings roles",
)
_EVENTS = "create patch update | core events.k8s.io | events"
_LOOKING_UP_USERS = (
    "create | authentication.k8s.io | tokenreviews",
    "create | authorization.k8s.io | subjectaccessreviews",
)
_NODE = (
    *_LOOKING_UP_USERS,
    f"{READ} | core | configmaps endpoints namespaces persistentvolumeclaims secrets serviceaccounts services",
    f"{READ} patch update | core | persistentvolumes",
    f"{READ} patch update | snapshot.storage.k8s.io | volumesnapshotcontents",
    "patch update | snapshot.storage.k8s.io | volumesnapshotcontents/status",
    f"{READ} | discovery.k8s.io | endpointslices",
    f"{READ} | networking.k8s.io | networkpolicies servicecidrs",
    "create get list watch delete update patch | core | nodes",
    "update patch | core | nodes/status pods/status persistentvolumeclaims/status",
    "get list watch create delete | core | pods",
    "create | core | pods/eviction serviceaccounts/token",
    _EVENTS,
    "create get list watch | certificates.k8s.io | certificatesigningrequests",
    "create get update patch delete list watch | coordination.k8s.io | leases",
    f"{READ} | storage.k8s.io | csidrivers storageclasses volumeattachments",
    "create get update patch delete | storage.k8s.io | csinodes",
    f"{READ} | node.k8s.io | runtimeclasses",
    f"{READ} | scheduling.k8s.io | priorityclasses",
    f"{READ} | resource.k8s.io | resourceclaims",
    f"{ALL_VERBS} | resource.k8s.io | resourceslices",
)
_METRICS_READER = f"{READ} | metrics.k8s.io | nodes pods"
_METRICS = "v1beta1.metrics.k8s.io"
_GANG_GROUPS = "scheduling.volcano.sh scheduling.x-k8s.io scheduling.incubator.k8s.io"
_SCHEDULER = (
    *_LOOKING_UP_USERS,
    _EVENTS,
    "create get list update patch watch | coordination.k8s.io | leases",
    f"{READ} | core | namespaces nodes persistentvolumeclaims persistentvolumes pods replicationcontrollers services",
    "update patch | core | persistentvolumeclaims persistentvolumes",
    "delete update patch | core | pods",
    "create | core | bindings pods/binding pods/eviction",
    "create | scheduling.windlass.dev | gangbindings",
    "patch update | core | pods/status",
    f"{READ} | apps | replicasets statefulsets",
    f"{READ} | policy | poddisruptionbudgets",
    f"{READ} | storage.k8s.io | csidrivers csinodes csistoragecapacities storageclasses volumeattachments",
    f"{READ} | scheduling.k8s.io | priorityclasses",
    f"{READ} | resource.k8s.io | deviceclasses resourceclaims resourceslices",
    "patch update | resource.k8s.io | resourceclaims resourceclaims/status",
    f"{ALL_VERBS} | {_GANG_GROUPS} | *",
    f"{READ} | batch.volcano.sh bus.volcano.sh | *",
)
_GATEWAY = (
    *_LOOKING_UP_USERS,
    # It acts for the signed-in user, so RBAC decides on them and not on the gateway.
    "impersonate | core | users groups serviceaccounts",
    # One watch of a kind serves all open pages; an access review decides who of them gets what it brings.
    "list watch | * | *",
    "get | core | namespaces",
    "get | core | configmaps | centraldashboard-config dashboard-config volcano-scheduler-configmap",
    # For views: where volumes are, how full they are, which notebook files are new, and how fast the API is.
    "get | core | nodes/metrics nodes/proxy persistentvolumes pods/proxy",
    "get | /metrics",
    *(rule for app in all_apps() for rule in (*app.gateway_rules, *app.embedded_gateway_rules)),
)
_MACHINE_VIEWER = (
    # Beside `view`: what belongs to no namespace, and who may do what. Secrets are in neither.
    f"{READ} | core | nodes persistentvolumes componentstatuses",
    f"{READ} | storage.k8s.io snapshot.storage.k8s.io | *",
    f"{READ} | scheduling.k8s.io node.k8s.io resource.k8s.io coordination.k8s.io events.k8s.io | *",
    f"{READ} | apiextensions.k8s.io apiregistration.k8s.io admissionregistration.k8s.io certificates.k8s.io | *",
    f"{READ} | {GROUP} | clusterroles clusterrolebindings roles rolebindings",
    f"{READ} | kubeflow.org | profiles",
    f"{READ} | scheduling.volcano.sh topology.volcano.sh nodeinfo.volcano.sh | *",
)
_CONTROLLER_MANAGER = (
    # The garbage collector and namespace deletion act on every kind there is, and the other controllers live in the
    # same process: nothing narrower than every resource describes what they do together.
    f"{ALL_VERBS} | * | *",
    "bind escalate | rbac.authorization.k8s.io | clusterroles roles",
    "approve sign | certificates.k8s.io | signers",
    "impersonate | core | serviceaccounts",  # steps of Workflows act on objects with the rights of their account
    "get | *",
)

CLUSTER_ROLES: Mapping[str, tuple[str, ...]] = {
    "cluster-admin": ("* | * | *", "* | *"),
    "system:aggregate-to-view": VIEW,
    "system:aggregate-to-edit": EDIT,
    "system:aggregate-to-admin": ADMIN,
    "system:discovery": (f"get | {_HEALTH} /api /api/* /apis /apis/* /openapi /openapi/*",),
    "system:public-info-viewer": (f"get | {_HEALTH}",),
    "system:basic-user": (
        "create | authorization.k8s.io | selfsubjectaccessreviews selfsubjectrulesreviews",
        "create | authentication.k8s.io | selfsubjectreviews",
    ),
    "system:monitoring": (
        "get | /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz /flagz",
    ),
    "system:service-account-issuer-discovery": (
        "get | /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
    ),
    "system:auth-delegator": _LOOKING_UP_USERS,
    "system:node": _NODE,
    "system:node-metrics": (
        "create | apiregistration.k8s.io | apiservices",
        f"get update patch | apiregistration.k8s.io | apiservices | {_METRICS}",
    ),
    "system:aggregated-metrics-reader": (_METRICS_READER,),
    "system:node-problem-detector": ("get | core | nodes", "patch | core | nodes/status", _EVENTS),
    "system:node-proxier": (
        f"{READ} | core | endpoints nodes services",
        f"{READ} | discovery.k8s.io | endpointslices",
        f"{READ} | networking.k8s.io | servicecidrs",
        _EVENTS,
    ),
    "system:node-bootstrapper": ("create get list watch | certificates.k8s.io | certificatesigningrequests",),
    "system:kubelet-api-admin": (
        "get list watch proxy | core | nodes",
        "* | core | nodes/log nodes/metrics nodes/proxy nodes/stats",
    ),
    "system:kube-scheduler": _SCHEDULER,
    "system:volume-scheduler": (
        f"{READ} patch update | core | persistentvolumes",
        f"{READ} | storage.k8s.io | storageclasses",
        f"{READ} patch update | core | persistentvolumeclaims",
    ),
    "system:kube-controller-manager": _CONTROLLER_MANAGER,
    "system:windlass-gateway": _GATEWAY,
    "system:windlass-machine-viewer": _MACHINE_VIEWER,
    "system:kube-dns": ("list watch | core | endpoints services",),
    "system:kube-aggregator": (f"{READ} | core | endpoints services",),
    "system:heapster": (f"{READ} | core | events namespaces nodes pods", f"{READ} | apps | deployments"),
    "system:persistent-volume-provisioner": (
        "create delete get list watch | core | persistentvolumes",
        f"{READ} update | core | persistentvolumeclaims",
        f"{READ} | storage.k8s.io | storageclasses",
        f"watch {_EVENTS}",
    ),
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient": (
        "create | certificates.k8s.io | certificatesigningrequests/nodeclient",
    ),
    "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": (
        "create | certificates.k8s.io | certificatesigningrequests/selfnodeclient",
    ),
}

KUBEFLOW_KUBERNETES: Mapping[str, tuple[str, ...]] = {
    "kubeflow-kubernetes-view": VIEW,
    "kubeflow-kubernetes-edit": EDIT,
    "kubeflow-kubernetes-admin": ADMIN,
}
"""What Kubeflow's roles contain of Kubernetes' own kinds: each its part, which the next higher role adds to."""

AGGREGATED = ("admin", "edit", "view")
PART_OF = {
    "view": "edit",
    "edit": "admin",
    "system:aggregate-to-view": "view",
    "system:aggregate-to-edit": "edit",
    "system:aggregate-to-admin": "admin",
    "system:aggregated-metrics-reader": "view",
}
"""The aggregated role that the label of a role adds its rules to."""

CLUSTER_ROLE_BINDINGS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "cluster-admin": ("cluster-admin", (f"Group:{MASTERS}",)),
    "system:discovery": ("system:discovery", (f"Group:{AUTHENTICATED}",)),
    "system:basic-user": ("system:basic-user", (f"Group:{AUTHENTICATED}",)),
    "system:public-info-viewer": (
        "system:public-info-viewer",
        (f"Group:{AUTHENTICATED}", f"Group:{UNAUTHENTICATED}"),
    ),
    "system:monitoring": ("system:monitoring", ("Group:system:monitoring",)),
    "system:service-account-issuer-discovery": (
        "system:service-account-issuer-discovery",
        (f"Group:{SERVICE_ACCOUNTS}",),
    ),
    "system:node": ("system:node", (f"Group:{NODES}",)),
    "system:node-metrics": ("system:node-metrics", (f"Group:{NODES}",)),
    "system:node-proxier": ("system:node-proxier", ("User:system:kube-proxy",)),
    "system:kube-controller-manager": ("system:kube-controller-manager", ("User:system:kube-controller-manager",)),
    "system:kube-scheduler": ("system:kube-scheduler", ("User:system:kube-scheduler",)),
    "system:windlass-gateway": ("system:windlass-gateway", ("User:system:windlass-gateway",)),
    "system:windlass-machine-viewer": ("system:windlass-machine-viewer", (f"Group:{MACHINE_VIEWERS}",)),
    "system:windlass-machine-viewer:view": ("view", (f"Group:{MACHINE_VIEWERS}",)),
    "system:volume-scheduler": ("system:volume-scheduler", ("User:system:kube-scheduler",)),
    "system:kube-dns": ("system:kube-dns", ("ServiceAccount:kube-system/kube-dns",)),
}

_LOCKING = "get update | coordination.k8s.io | leases"
ROLES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("kube-system", "extension-apiserver-authentication-reader"): (
        f"{READ} | core | configmaps | extension-apiserver-authentication",
    ),
    ("kube-system", "system:node-metrics"): (
        "create | core | services",
        "get update patch | core | services | metrics-server",
    ),
    ("kube-system", "system::leader-locking-kube-controller-manager"): (
        "watch | coordination.k8s.io | leases",
        f"{_LOCKING} | kube-controller-manager",
    ),
    ("kube-system", "system::leader-locking-kube-scheduler"): (
        "watch | coordination.k8s.io | leases",
        f"{_LOCKING} | kube-scheduler",
    ),
}
ROLE_BINDINGS: Mapping[tuple[str, str], tuple[str, tuple[str, ...]]] = {
    ("kube-system", "system::extension-apiserver-authentication-reader"): (
        "extension-apiserver-authentication-reader",
        ("User:system:kube-controller-manager", "User:system:kube-scheduler"),
    ),
    ("kube-system", "system:node-metrics"): ("system:node-metrics", (f"Group:{NODES}",)),
    ("kube-system", "system::leader-locking-kube-controller-manager"): (
        "system::leader-locking-kube-controller-manager",
        ("User:system:kube-controller-manager",),
    ),
    ("kube-system", "system::leader-locking-kube-scheduler"): (
        "system::leader-locking-kube-scheduler",
        ("User:system:kube-scheduler",),
    ),
}


def default_objects() -> list[Object]:
    """Return all manifests, roles before bindings; aggregated roles have their rules already."""
    plain = {**CLUSTER_ROLES, **KUBEFLOW_KUBERNETES, **kubeflow.CLUSTER_ROLES}
    cluster_roles = [_role("ClusterRole", "", name, rules) for name, rules in plain.items()]
    cluster_roles += [_aggregated(name, f"{GROUP}/aggregate-to-{name}") for name in AGGREGATED]
    cluster_roles += [_aggregated(name, label) for name, label in kubeflow.AGGREGATED.items()]
    for role in cluster_roles:
        role["metadata"]["labels"] |= dict.fromkeys(_part_of(role["metadata"]["name"]), "true")
    for name, rules in aggregate(cluster_roles).items():
        next(role for role in cluster_roles if role["metadata"]["name"] == name)["rules"] = rules
    return [
        *cluster_roles,
        *(_binding("ClusterRoleBinding", "", name, *of) for name, of in CLUSTER_ROLE_BINDINGS.items()),
        *(_role("Role", namespace, name, rules) for (namespace, name), rules in ROLES.items()),
        *(_binding("RoleBinding", namespace, name, *of) for (namespace, name), of in ROLE_BINDINGS.items()),
    ]


def reconciled(live: Object | None, wanted: Object) -> Object | None:
    """Return `live` with everything from `wanted` that it lacks; None if it lacks nothing."""
    if live is None:
        return wanted
    if dig(live, "metadata", "annotations", AUTOUPDATE) == "false":
        return None
    changed = dict(live)
    if "subjects" in wanted:
        if live.get("roleRef") != wanted["roleRef"]:
            return None  # a role reference cannot change, and a binding that a user put in its place is kept
        lacking = [subject for subject in wanted["subjects"] if subject not in dig_list(live, "subjects")]
        if lacking:
            changed["subjects"] = [*dig_list(live, "subjects"), *lacking]
    elif "aggregationRule" in wanted:
        changed["aggregationRule"] = live.get("aggregationRule") or wanted["aggregationRule"]
    else:
        held = compile_rules(dig_list(live, "rules"))
        rules = [rule.manifest() for rule in missing(held, compile_rules(wanted["rules"]))]
        if rules:
            changed["rules"] = [*dig_list(live, "rules"), *rules]
    labels = {**dig_object(wanted, "metadata", "labels"), **dig_object(live, "metadata", "labels")}
    if labels != dig_object(live, "metadata", "labels"):
        changed["metadata"] = {**dig_object(live, "metadata"), "labels": labels}
    return changed if changed != live else None


def parse_rule(line: str) -> Object:
    """Parse `verbs | groups | resources [| names]`, or `verbs | paths`, where paths begin with / or are *."""
    verbs, *rest = [part.split() for part in line.split("|")]
    if len(rest) == 1:
        return {"nonResourceURLs": rest[0], "verbs": verbs}
    rule: Object = {
        "apiGroups": ["" if group == "core" else group for group in rest[0]],
        "resources": sorted(rest[1]),
        "verbs": verbs,
    }
    if len(rest) == 3:
        rule["resourceNames"] = rest[2]
    return rule


def _meta(namespace: str, name: str) -> Object:
    meta: Object = {"name": name, "labels": dict(LABELS), "annotations": {AUTOUPDATE: "true"}}
    if namespace:
        meta["namespace"] = namespace
    return meta


def _role(kind: str, namespace: str, name: str, rules: Iterable[str]) -> Object:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": kind,
        "metadata": _meta(namespace, name),
        "rules": [parse_rule(line) for line in rules],
    }


def _aggregated(name: str, label: str) -> Object:
    role = _role("ClusterRole", "", name, ())
    role["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]}
    return role


def _part_of(name: str) -> Iterable[str]:
    """The labels that make a role part of aggregated roles."""
    if name in PART_OF:
        yield f"{GROUP}/aggregate-to-{PART_OF[name]}"
    yield from kubeflow.LABELS.get(name, ())


def _binding(kind: str, namespace: str, name: str, role: str, subjects: Iterable[str]) -> Object:
    role_kind = "Role" if kind == "RoleBinding" else "ClusterRole"
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": kind,
        "metadata": _meta(namespace, name),
        "roleRef": {"apiGroup": GROUP, "kind": role_kind, "name": role},
        "subjects": [_subject(subject) for subject in subjects],
    }


def _subject(text: str) -> Object:
    kind, _, name = text.partition(":")
    if kind == "ServiceAccount":
        namespace, _, account = name.partition("/")
        return {"kind": kind, "name": account, "namespace": namespace}
    return {"apiGroup": GROUP, "kind": kind, "name": name}
