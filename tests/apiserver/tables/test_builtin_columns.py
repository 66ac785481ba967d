from typing import Any

import pytest

from tests.apiserver.tables.builders import NOW, an_object, created, row
from windlass.apiserver.tables import BUILTIN, columns_for
from windlass.kube.definitions import kind_names
from windlass.kube.json import Object

TEMPLATE = {"spec": {"containers": [{"name": "a", "image": "x:1"}, {"name": "b", "image": "y:2"}]}}
SELECTOR = {
    "matchLabels": {"app": "web"},
    "matchExpressions": [{"key": "tier", "operator": "In", "values": ["b", "a"]}],
}


def test_every_kind_with_columns_is_a_kind_of_kubernetes() -> None:
    known = {(group, kind) for group, _, kind in kind_names()}

    assert set(BUILTIN) <= known


@pytest.mark.parametrize(("group", "kind"), BUILTIN)
def test_an_object_with_nothing_but_metadata_can_be_shown(group: str, kind: str) -> None:
    for column in columns_for(group, kind):
        assert column.cell({"metadata": {"name": "bare"}}, NOW) is not None


@pytest.mark.parametrize(
    ("group", "kind", "fields", "expected"),
    [
        (
            "apps",
            "Deployment",
            {
                "spec": {"replicas": 3, "template": TEMPLATE, "selector": SELECTOR},
                "status": {"readyReplicas": 2, "updatedReplicas": 3, "availableReplicas": 1},
            },
            {
                "NAME": "thing",
                "READY": "2/3",
                "UP-TO-DATE": 3,
                "AVAILABLE": 1,
                "AGE": "5s",
                "CONTAINERS": "a,b",
                "IMAGES": "x:1,y:2",
                "SELECTOR": "app=web,tier in (a,b)",
            },
        ),
        (
            "apps",
            "ReplicaSet",
            {"spec": {"replicas": 3, "template": TEMPLATE}, "status": {"replicas": 2, "readyReplicas": 1}},
            {
                "NAME": "thing",
                "DESIRED": 3,
                "CURRENT": 2,
                "READY": 1,
                "AGE": "5s",
                "CONTAINERS": "a,b",
                "IMAGES": "x:1,y:2",
                "SELECTOR": "<none>",
            },
        ),
        (
            "apps",
            "StatefulSet",
            {"spec": {"replicas": 3, "template": TEMPLATE}, "status": {"readyReplicas": 1}},
            {"NAME": "thing", "READY": "1/3", "AGE": "5s", "CONTAINERS": "a,b", "IMAGES": "x:1,y:2"},
        ),
        (
            "apps",
            "DaemonSet",
            {"spec": {"template": TEMPLATE, "selector": SELECTOR}, "status": {"desiredNumberScheduled": 2}},
            {
                "NAME": "thing",
                "DESIRED": 2,
                "CURRENT": 0,
                "READY": 0,
                "UP-TO-DATE": 0,
                "AVAILABLE": 0,
                "NODE SELECTOR": "<none>",
                "AGE": "5s",
                "CONTAINERS": "a,b",
                "IMAGES": "x:1,y:2",
                "SELECTOR": "app=web,tier in (a,b)",
            },
        ),
        (
            "apps",
            "ControllerRevision",
            {
                "metadata": {
                    "ownerReferences": [
                        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": True}
                    ]
                },
                "revision": 2,
            },
            {"NAME": "thing", "CONTROLLER": "statefulset.apps/db", "REVISION": 2, "AGE": "5s"},
        ),
        (
            "batch",
            "CronJob",
            {"spec": {"schedule": "* * * * *", "suspend": False}, "status": {"active": [{}]}},
            {
                "NAME": "thing",
                "SCHEDULE": "* * * * *",
                "TIMEZONE": "<none>",
                "SUSPEND": "False",
                "ACTIVE": 1,
                "LAST SCHEDULE": "<none>",
                "AGE": "5s",
                "CONTAINERS": "",
                "IMAGES": "",
                "SELECTOR": "<none>",
            },
        ),
        (
            "",
            "Service",
            {
                "spec": {
                    "type": "NodePort",
                    "clusterIPs": ["10.0.0.1"],
                    "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}],
                    "selector": {"b": "2", "a": "1"},
                }
            },
            {
                "NAME": "thing",
                "TYPE": "NodePort",
                "CLUSTER-IP": "10.0.0.1",
                "EXTERNAL-IP": "<none>",
                "PORT(S)": "80:30080/TCP,53/UDP",
                "AGE": "5s",
                "SELECTOR": "a=1,b=2",
            },
        ),
        (
            "",
            "Endpoints",
            {"subsets": [{"addresses": [{"ip": f"10.0.0.{n}"} for n in range(5)], "ports": [{"port": 80}]}]},
            {"NAME": "thing", "ENDPOINTS": "10.0.0.0:80,10.0.0.1:80,10.0.0.2:80 + 2 more...", "AGE": "5s"},
        ),
        (
            "discovery.k8s.io",
            "EndpointSlice",
            {"addressType": "IPv4", "ports": [{"port": 80}, {"name": "x"}, {}], "endpoints": []},
            {"NAME": "thing", "ADDRESSTYPE": "IPv4", "PORTS": "80,x,*", "ENDPOINTS": "<unset>", "AGE": "5s"},
        ),
        (
            "networking.k8s.io",
            "Ingress",
            {
                "spec": {"rules": [{"host": f"{h}.org"} for h in "abcd"], "tls": [{}]},
                "status": {"loadBalancer": {"ingress": [{"hostname": "lb"}, {"ip": "1.2.3.4"}]}},
            },
            {
                "NAME": "thing",
                "CLASS": "<none>",
                "HOSTS": "a.org,b.org,c.org + 1 more...",
                "ADDRESS": "1.2.3.4,lb",
                "PORTS": "80, 443",
                "AGE": "5s",
            },
        ),
        (
            "networking.k8s.io",
            "NetworkPolicy",
            {"spec": {"podSelector": {}}},
            {"NAME": "thing", "POD-SELECTOR": "<none>", "AGE": "5s"},
        ),
        (
            "",
            "PersistentVolumeClaim",
            {
                "spec": {"volumeName": "pv1", "storageClassName": "fast", "volumeMode": "Filesystem"},
                "status": {
                    "phase": "Bound",
                    "capacity": {"storage": "1Gi"},
                    "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                },
            },
            {
                "NAME": "thing",
                "STATUS": "Bound",
                "VOLUME": "pv1",
                "CAPACITY": "1Gi",
                "ACCESS MODES": "RWO,RWX",
                "STORAGECLASS": "fast",
                "VOLUMEATTRIBUTESCLASS": "<unset>",
                "AGE": "5s",
                "VOLUMEMODE": "Filesystem",
            },
        ),
        (
            "",
            "PersistentVolume",
            {
                "spec": {
                    "capacity": {"storage": "5Gi"},
                    "accessModes": ["ReadOnlyMany"],
                    "persistentVolumeReclaimPolicy": "Retain",
                    "claimRef": {"namespace": "ns", "name": "claim"},
                },
                "status": {"phase": "Bound"},
            },
            {
                "NAME": "thing",
                "CAPACITY": "5Gi",
                "ACCESS MODES": "ROX",
                "RECLAIM POLICY": "Retain",
                "STATUS": "Bound",
                "CLAIM": "ns/claim",
                "STORAGECLASS": "",
                "VOLUMEATTRIBUTESCLASS": "<unset>",
                "REASON": "",
                "AGE": "5s",
                "VOLUMEMODE": "<unset>",
            },
        ),
        (
            "storage.k8s.io",
            "StorageClass",
            {
                "metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
                "provisioner": "p",
            },
            {
                "NAME": "thing (default)",
                "PROVISIONER": "p",
                "RECLAIMPOLICY": "Delete",
                "VOLUMEBINDINGMODE": "Immediate",
                "ALLOWVOLUMEEXPANSION": False,
                "AGE": "5s",
            },
        ),
        (
            "",
            "ResourceQuota",
            {
                "status": {
                    "hard": {"requests.cpu": "2", "limits.cpu": "4", "pods": "10"},
                    "used": {"requests.cpu": "1", "limits.cpu": "2", "pods": "3"},
                }
            },
            {"NAME": "thing", "REQUEST": "pods: 3/10, requests.cpu: 1/2", "LIMIT": "limits.cpu: 2/4", "AGE": "5s"},
        ),
        (
            "policy",
            "PodDisruptionBudget",
            {"spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 1}},
            {
                "NAME": "thing",
                "MIN AVAILABLE": "50%",
                "MAX UNAVAILABLE": "N/A",
                "ALLOWED DISRUPTIONS": 1,
                "AGE": "5s",
            },
        ),
        (
            "rbac.authorization.k8s.io",
            "RoleBinding",
            {
                "roleRef": {"kind": "Role", "name": "reader"},
                "subjects": [
                    {"kind": "User", "name": "ann"},
                    {"kind": "User", "name": "bob"},
                    {"kind": "ServiceAccount", "name": "sa", "namespace": "ns"},
                ],
            },
            {
                "NAME": "thing",
                "ROLE": "Role/reader",
                "AGE": "5s",
                "USERS": "ann, bob",
                "GROUPS": "",
                "SERVICEACCOUNTS": "ns/sa",
            },
        ),
        (
            "certificates.k8s.io",
            "CertificateSigningRequest",
            {
                "spec": {"signerName": "s", "username": "ann", "expirationSeconds": 86400},
                "status": {"conditions": [{"type": "Approved"}], "certificate": "eA=="},
            },
            {
                "NAME": "thing",
                "AGE": "5s",
                "SIGNERNAME": "s",
                "REQUESTOR": "ann",
                "REQUESTEDDURATION": "24h",
                "CONDITION": "Approved,Issued",
            },
        ),
        (
            "admissionregistration.k8s.io",
            "ValidatingAdmissionPolicyBinding",
            {"spec": {"policyName": "p", "paramRef": {"name": "x"}}},
            {"NAME": "thing", "POLICYNAME": "p", "PARAMREF": "*/x", "AGE": "5s"},
        ),
        (
            "apiregistration.k8s.io",
            "APIService",
            {
                "spec": {"service": {"namespace": "ns", "name": "svc"}},
                "status": {"conditions": [{"type": "Available", "status": "False", "reason": "Missing"}]},
            },
            {"NAME": "thing", "SERVICE": "ns/svc", "AVAILABLE": "False (Missing)", "AGE": "5s"},
        ),
        (
            "rbac.authorization.k8s.io",
            "Role",
            {"rules": []},
            {"NAME": "thing", "CREATED AT": created()},
        ),
        (
            "apiextensions.k8s.io",
            "CustomResourceDefinition",
            {"spec": {}},
            {"NAME": "thing", "CREATED AT": created()},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_kind_is_shown_as_kubernetes_shows_it(
    group: str, kind: str, fields: dict[str, Any], expected: dict[str, Any]
) -> None:
    shown = row(group, kind, an_object(**fields))

    assert shown == expected
    assert list(shown) == list(expected)


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"type": "ClusterIP", "externalIPs": ["1.1.1.1", "2.2.2.2"]}, {}, "1.1.1.1,2.2.2.2"),
        ({"type": "LoadBalancer"}, {}, "<pending>"),
        ({"type": "LoadBalancer"}, {"loadBalancer": {"ingress": [{"ip": "9.9.9.9"}]}}, "9.9.9.9"),
        ({"type": "ExternalName", "externalName": "example.org"}, {}, "example.org"),
    ],
)
def test_the_external_address_of_a_service_depends_on_its_type(spec: Object, status: Object, expected: str) -> None:
    assert row("", "Service", an_object(spec=spec, status=status))["EXTERNAL-IP"] == expected


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"completions": 3}, {"succeeded": 1, "startTime": created(minutes_ago=5)}, ("Running", "1/3", "5m5s")),
        ({"parallelism": 2}, {}, ("Running", "0/1 of 2", "")),
        (
            {"completions": 1},
            {
                "succeeded": 1,
                "startTime": created(minutes_ago=5),
                "completionTime": created(minutes_ago=4),
                "conditions": [{"type": "Complete", "status": "True"}],
            },
            ("Complete", "1/1", "60s"),
        ),
        ({"completions": 1}, {"conditions": [{"type": "Failed", "status": "True"}]}, ("Failed", "0/1", "")),
        ({"completions": 1}, {"conditions": [{"type": "Suspended", "status": "True"}]}, ("Suspended", "0/1", "")),
    ],
)
def test_a_job_says_how_far_it_is(spec: Object, status: Object, expected: tuple[str, str, str]) -> None:
    shown = row("batch", "Job", an_object(spec=spec, status=status))

    assert (shown["STATUS"], shown["COMPLETIONS"], shown["DURATION"]) == expected


@pytest.mark.parametrize(
    ("metrics", "current", "expected"),
    [
        ([], [], "<none>"),
        (
            [{"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 80}}}],
            [],
            "cpu: <unknown>/80%",
        ),
        (
            [{"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 80}}}],
            [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 5}}}],
            "cpu: 5%/80%",
        ),
        (
            [{"type": "Pods", "pods": {"target": {"averageValue": "10"}}}] * 3,
            [{"type": "Pods", "pods": {"current": {"averageValue": "7"}}}],
            "7/10, <unknown>/10 + 1 more...",
        ),
        ([{"type": "External", "external": {"target": {"averageValue": "1"}}}], [], "<unknown>/1 (avg)"),
    ],
)
def test_an_autoscaler_shows_each_metric_and_its_target(
    metrics: list[Object], current: list[Object], expected: str
) -> None:
    scaler = an_object(spec={"metrics": metrics}, status={"currentMetrics": current})

    assert row("autoscaling", "HorizontalPodAutoscaler", scaler)["TARGETS"] == expected


def test_an_autoscaler_of_the_first_version_has_its_one_metric() -> None:
    scaler = an_object(
        spec={"targetCPUUtilizationPercentage": 50, "minReplicas": 1, "maxReplicas": 4},
        status={"currentCPUUtilizationPercentage": 20},
    )
    shown = row("autoscaling", "HorizontalPodAutoscaler", scaler)

    assert (shown["TARGETS"], shown["MINPODS"], shown["MAXPODS"]) == ("cpu: 20%/50%", "1", 4)


def test_a_node_shows_whether_it_takes_pods_and_its_roles() -> None:
    node = an_object(
        metadata={"labels": {"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": ""}},
        spec={"unschedulable": True},
        status={
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.35.0"},
            "addresses": [{"type": "InternalIP", "address": "10.0.0.2"}],
        },
    )
    shown = row("", "Node", node)

    assert shown["STATUS"] == "Ready,SchedulingDisabled"
    assert shown["ROLES"] == "control-plane,worker"
    assert (shown["VERSION"], shown["INTERNAL-IP"], shown["EXTERNAL-IP"]) == ("v1.35.0", "10.0.0.2", "<none>")


def test_an_event_looks_the_same_in_both_its_groups() -> None:
    old = an_object(
        type="Warning",
        reason="Failed",
        message=" no image\n",
        involvedObject={"kind": "Pod", "name": "p", "fieldPath": "spec"},
        source={"component": "kubelet", "host": "n1"},
        firstTimestamp=created(hours_ago=1),
        lastTimestamp=created(minutes_ago=1),
        count=3,
    )
    new = an_object(
        type="Warning",
        reason="Failed",
        note=" no image\n",
        regarding={"kind": "Pod", "name": "p", "fieldPath": "spec"},
        deprecatedSource={"component": "kubelet", "host": "n1"},
        deprecatedFirstTimestamp=created(hours_ago=1),
        deprecatedLastTimestamp=created(minutes_ago=1),
        deprecatedCount=3,
    )
    shown = row("", "Event", old)

    assert shown == row("events.k8s.io", "Event", new)
    assert list(shown.values()) == [
        "65s",
        "Warning",
        "Failed",
        "pod/p",
        "spec",
        "kubelet, n1",
        "no image",
        "60m",
        3,
        "thing",
    ]


def test_an_event_series_was_last_seen_when_it_was_last_observed() -> None:
    event = an_object(
        eventTime="2026-03-01T11:00:00.000000Z",
        series={"count": 9, "lastObservedTime": "2026-03-01T11:59:30.000000Z"},
        reportingComponent="sched",
    )
    shown = row("", "Event", event)

    assert (shown["LAST SEEN"], shown["FIRST SEEN"], shown["COUNT"], shown["SOURCE"]) == ("30s", "60m", 9, "sched")
