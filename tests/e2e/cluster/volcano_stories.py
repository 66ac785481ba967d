"""Stories in which Volcano's controllers and the scheduler do what their rights are for."""

import json
from datetime import UTC, datetime, timedelta

from tests.e2e.cluster.bare import BareCluster, Object, phase, pod_spec, used, vcjob
from tests.support import eventually

QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"


def names(listed: Object) -> list[str]:
    return [obj["metadata"]["name"] for obj in listed["items"]]


def a_job_with_a_volume_is_scaled_and_aborted(cluster: BareCluster) -> None:
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    volume = {"mountPath": "/data", "volumeClaim": claim}
    cluster.make("jobs", vcjob("big", 1, volumes=[volume], plugins={"svc": [], "ssh": []}))
    cluster.until("pods/big-worker-0", bool)
    larger = [{"op": "replace", "path": f"/spec/{field}", "value": 2} for field in ("tasks/0/replicas", "minAvailable")]
    assert cluster.server.patch(cluster.path("jobs/big"), larger, "json").status == 200
    cluster.until("pods/big-worker-1", bool)
    cluster.until("podgroups", lambda found: 2 in [group["spec"]["minMember"] for group in found["items"]])
    order(cluster, "AbortJob", "batch.volcano.sh/v1alpha1", "Job", cluster.server.get(cluster.path("jobs/big")))
    cluster.until("jobs/big", lambda job: phase(job) == "Aborted")
    cluster.until("services", lambda found: "big" not in names(found))


def order(cluster: BareCluster, action: str, api_version: str, kind: str, target: Object) -> None:
    metadata = target["metadata"]
    named = {"apiVersion": api_version, "kind": kind, "name": metadata["name"], "uid": metadata["uid"]}
    cluster.make("commands", {"metadata": {"generateName": "order-"}, "action": action, "target": named})


def jobs_are_made_by_flows_and_clocks_and_go_when_their_time_is_over(cluster: BareCluster) -> None:
    spec = vcjob("", ttlSecondsAfterFinished=0)["spec"]
    cluster.make("jobtemplates", {"metadata": {"name": "step"}, "spec": spec})
    probe = {"httpGetList": [{"taskName": "worker", "path": "/", "port": 8080}]}
    flows = [{"name": "step"}, {"name": "next", "dependsOn": {"targets": ["step"], "probe": probe}}]
    cluster.make("jobflows", {"metadata": {"name": "flow"}, "spec": {"flows": flows}})
    cron = {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": spec}}
    cluster.make("cronjobs", {"metadata": {"name": "tick"}, "spec": cron})
    past = (datetime.now(UTC) - timedelta(days=366)).strftime("%Y-%m-%dT%H:%M:%SZ")
    cluster.change("cronjobs/tick/status", {"status": {"lastScheduleTime": past}})
    cluster.until("jobs", lambda found: any(name.startswith("tick-") for name in names(found)))
    eventually(lambda: ("get", "", "pods/proxy") in used(cluster, "manager"), 60, "the flow's probe asks the pod")
    first = cluster.server.get(cluster.path("jobs/flow-step"))["metadata"]["uid"]
    cluster.fares("flow-step-worker-0", "Succeeded")
    cluster.until("jobs", lambda found: first not in [job["metadata"]["uid"] for job in found["items"]])


def a_queue_is_closed(cluster: BareCluster) -> None:
    cluster.make(QUEUES, {"metadata": {"name": "team"}, "spec": {"weight": 1}})
    queue = cluster.until(f"{QUEUES}/team", lambda queue: queue.get("status", {}).get("state") == "Open")
    order(cluster, "CloseQueue", "scheduling.volcano.sh/v1beta1", "Queue", queue)
    cluster.until(f"{QUEUES}/team", lambda queue: queue["status"]["state"] == "Closed")


def a_lone_pod_gets_a_group_that_follows_its_owner(cluster: BareCluster) -> None:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {**pod_spec(), "restartPolicy": "Always"}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    web = cluster.make("replicasets", {"metadata": {"name": "web"}, "spec": spec})["metadata"]
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": web["uid"], "controller": True}
    metadata = {"name": "web-0", "labels": labels, "ownerReferences": [owner]}
    cluster.make("pods", {"metadata": metadata, "spec": pod_spec(schedulerName="volcano")})
    cluster.placed("web-0")
    group = f"podgroups/podgroup-{web['uid']}"
    cluster.change("replicasets/web", {"metadata": {"annotations": {"scheduling.volcano.sh/group-min-member": "2"}}})
    cluster.until(group, lambda found: found["spec"]["minMember"] == 2)
    cluster.change("replicasets/web", {"spec": {"replicas": 0}})
    cluster.gone(group)


def a_pod_of_a_training_job_gets_a_group_as_its_job_says(cluster: BareCluster) -> None:
    container = {"name": "tensorflow", "image": "x"}
    worker = {"replicas": 1, "template": {"spec": {"schedulerName": "volcano", "containers": [container]}}}
    annotations = {"scheduling.volcano.sh/group-min-member": "2"}
    job = {"metadata": {"name": "ask", "annotations": annotations}, "spec": {"tfReplicaSpecs": {"Worker": worker}}}
    uid = cluster.make("/apis/kubeflow.org/v1/namespaces/default/tfjobs", job)["metadata"]["uid"]
    group = cluster.until(f"podgroups/podgroup-{uid}", bool)
    assert group["spec"]["minMember"] == 2


def hyper_nodes_follow_labels(cluster: BareCluster) -> None:
    levels = [{"nodeLabel": "rack"}, {"nodeLabel": "kubernetes.io/hostname"}]
    discovery = {"source": "label", "enabled": True, "config": {"networkTopologyTypes": {"racks": levels}}}
    data = {"volcano-controller.conf": json.dumps({"networkTopologyDiscovery": [discovery]})}
    path = "/api/v1/namespaces/volcano-system/configmaps"
    cluster.make(path, {"metadata": {"name": "volcano-controller-configmap"}, "data": data})
    cluster.until(HYPER_NODES, lambda found: [one.get("status", {}).get("nodeCount") for one in found["items"]] == [2])
    cluster.change("/api/v1/nodes/two", {"metadata": {"labels": {"rack": None}}})
    cluster.until(HYPER_NODES, lambda found: [one["status"].get("nodeCount") for one in found["items"]] == [1])
    cluster.change("/api/v1/nodes/one", {"metadata": {"labels": {"rack": None}}})
    cluster.until(HYPER_NODES, lambda found: found["items"] == [])


def claims_are_bound_before_their_pods(cluster: BareCluster) -> None:
    """One by a volume that is there, one by a volume that is asked for; nobody here goes on from that."""
    storage = "/apis/storage.k8s.io/v1/storageclasses"
    late = {"metadata": {"name": "late"}, "provisioner": "example.com/disks"}
    cluster.make(storage, {**late, "volumeBindingMode": "WaitForFirstConsumer"})
    amount, modes = {"storage": "1Gi"}, ["ReadWriteOnce"]
    there = {"capacity": amount, "accessModes": modes, "storageClassName": "late", "hostPath": {"path": "/there"}}
    cluster.make("/api/v1/persistentvolumes", {"metadata": {"name": "there"}, "spec": there})
    cluster.change("/api/v1/persistentvolumes/there/status", {"status": {"phase": "Available"}})
    for name, asked in (("small", amount), ("large", {"storage": "5Gi"})):
        spec = {"accessModes": modes, "storageClassName": "late", "resources": {"requests": asked}}
        cluster.make("persistentvolumeclaims", {"metadata": {"name": name}, "spec": spec})
        volume = {"name": "data", "persistentVolumeClaim": {"claimName": name}}
        pod = pod_spec("10m", schedulerName="volcano", volumes=[volume])
        cluster.make("pods", {"metadata": {"name": f"with-{name}"}, "spec": pod})
    cluster.until("/api/v1/persistentvolumes/there", lambda volume: volume["spec"].get("claimRef"))
    selected = "volume.kubernetes.io/selected-node"
    cluster.until("persistentvolumeclaims/large", lambda claim: selected in claim["metadata"].get("annotations", {}))
