"""Windlass in place of Volcano on a cluster: the printed rights are enough for its controllers and its scheduler, and
hardly more; the default queue is made; what is outside the rights is refused."""

from collections import Counter
from collections.abc import Iterator

import pytest
import yaml

from tests.e2e.cluster.bare import (
    BareCluster,
    Object,
    Right,
    bare_cluster,
    code_of,
    is_of_kube_batch,
    phase,
    pod_spec,
    resource_of,
    used,
    vcjob,
)
from tests.e2e.cluster.trainer_stories import (
    a_training_by_mpi_has_keys,
    a_training_that_takes_too_long_ends,
    jobs_rest_and_go_on_elsewhere,
    the_runtimes_are_taken,
    what_failed_takes_the_rest_with_it,
)
from tests.e2e.cluster.volcano_stories import (
    QUEUES,
    a_job_with_a_volume_is_scaled_and_aborted,
    a_lone_pod_gets_a_group_that_follows_its_owner,
    a_pod_of_a_training_job_gets_a_group_as_its_job_says,
    a_queue_is_closed,
    claims_are_bound_before_their_pods,
    hyper_nodes_follow_labels,
    jobs_are_made_by_flows_and_clocks_and_go_when_their_time_is_over,
)
from tests.support import eventually
from windlass.apps.jobset.app import APP as JOBSET
from windlass.apps.trainer.app import APP as TRAINER
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.volcano.app import APP as VOLCANO
from windlass.cli.manifests import parts
from windlass.deploy.manager_permissions import lease_rules, listed_permissions
from windlass.deploy.scheduler_permissions import scheduler_rules
from windlass.kube.kind import KINDS

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]

KUBE_BATCH = "/apis/scheduling.incubator.k8s.io/v1alpha1"
COSCHEDULING = "/apis/scheduling.x-k8s.io/v1alpha1"
FOREIGN = {
    "jobs": "/apis/batch.volcano.example/v1alpha1/namespaces/default/jobs",
    "podgroups": "/apis/scheduling.volcano.example/v1beta1/namespaces/default/podgroups",
    "queues": "/apis/scheduling.volcano.example/v1beta1/queues",
}
"""What happens to objects of these, webhooks did."""
QUEUE_OF_NAMESPACE = "scheduling.volcano.sh/queue-name"
OFFERS = {"cpu": "8", "memory": "16Gi", "pods": "50"}
SELDOM: set[Right] = {
    ("get", "", "pods"),  # a binding without an answer
    ("patch", "scheduling.volcano.sh", "queues"),  # something is kept for a gang
    ("patch", "scheduling.incubator.k8s.io", "queues"),
    ("get", "apps", "statefulsets"),  # other owners of lone pods than the one below
    ("get", "apps", "daemonsets"),
    ("get", "batch", "jobs"),
    ("get", "", "replicationcontrollers"),
    ("get", "argoproj.io", "workflows"),
    *(
        ("get", "kubeflow.org", KINDS.of(framework.kind).plural)
        for framework in FRAMEWORKS
        if framework.name != "TFJob"
    ),
    ("patch", "flow.volcano.sh", "jobflows"),  # a probe that holds: no pod answers here
    ("patch", "", "events"),  # an event that is repeated
}
"""What does not happen here."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BareCluster]:
    with bare_cluster(tmp_path_factory.mktemp("bare")) as cluster:
        cluster.make("/api/v1/namespaces", {"metadata": {"name": "volcano-system"}})
        for name in ("one", "two"):
            node = {"metadata": {"name": name, "labels": {"rack": "a", "kubernetes.io/hostname": name}}}
            cluster.make("/api/v1/nodes", {**node, "status": {"capacity": OFFERS, "allocatable": OFFERS}})
        cluster.install_kube_batch()
        cluster.until("serviceaccounts/default", bool)
        cluster.until(f"{QUEUES}/default", lambda queue: queue.get("status", {}).get("state") == "Open")
        yield cluster


def test_a_gang_and_a_volcano_job_go_all_the_way(cluster: BareCluster) -> None:
    cluster.make("jobs", vcjob("train", 2, plugins={"svc": [], "ssh": [], "env": []}))
    workers = ("train-worker-0", "train-worker-1")
    cluster.placed(*workers)
    for worker in workers:
        cluster.fares(worker, "Running")
    cluster.until("jobs/train", lambda job: phase(job) == "Running")
    for worker in workers:
        cluster.fares(worker, "Succeeded")

    cluster.until("jobs/train", lambda job: phase(job) == "Completed")


def test_the_root_and_the_default_queue_are_made(cluster: BareCluster) -> None:
    root, default = (cluster.server.get(f"{QUEUES}/{name}")["spec"] for name in ("root", "default"))

    assert (root["reclaimable"], default["reclaimable"], default["weight"]) == (False, True, 1)
    cluster.until(f"{QUEUES}/default", lambda queue: queue["spec"].get("parent") == "root")


def test_nothing_is_created_before_the_webhooks_are_trusted(cluster: BareCluster) -> None:
    created = [event for event in cluster.audited("manager") if event["verb"] == "create"]

    assert {code_of(event) for event in created if resource_of(event) == "queues"} == {201}


@pytest.mark.parametrize("part", ["manager", "scheduler"])
def test_a_kind_that_is_not_there_is_not_polled_for(cluster: BareCluster, part: str) -> None:
    missed = [event for event in cluster.audited(part) if is_of_kube_batch(event) and code_of(event) == 404]

    assert Counter(map(resource_of, missed)) == {"queues": 1, "podgroups": 1}


@pytest.fixture
def foreign(cluster: BareCluster) -> Iterator[None]:
    """Jobs, queues and groups in groups of which the embedded server knows nothing, with the printed webhooks."""
    printed = parts("all", "", "", options=["volcano"])
    configurations = [
        obj for obj in printed if obj["metadata"]["name"] in ("validator.volcano.sh", "mutator.volcano.sh")
    ]
    made = [
        *(copied(obj) for obj in printed if obj["metadata"]["name"].split(".")[0] in FOREIGN),
        *(leading_elsewhere(obj, cluster) for obj in configurations),
    ]
    text = yaml.safe_dump_all(made)
    cluster.server.kubectl("apply --server-side -f -", stdin=text)
    for path in FOREIGN.values():
        eventually(lambda path=path: cluster.server.request("GET", path).status == 200, 60, f"{path} is served")
    yield
    cluster.server.kubectl("delete --wait=false -f -", stdin=text)


def copied(crd: Object) -> Object:
    group = crd["spec"]["group"]
    name = crd["metadata"]["name"].replace(group, foreign_group(group))
    return {**crd, "metadata": {"name": name}, "spec": {**crd["spec"], "group": foreign_group(group)}}


def foreign_group(group: str) -> str:
    return group.replace("volcano.sh", "volcano.example")


def leading_elsewhere(configuration: Object, cluster: BareCluster) -> Object:
    """The configuration as the manager has made it trusted, for the other groups."""
    plural = f"{configuration['kind'].lower()}s"
    path = f"/apis/admissionregistration.k8s.io/v1/{plural}/{configuration['metadata']['name']}"
    webhooks = [one for one in cluster.server.get(path)["webhooks"] if one["rules"][0]["resources"][0] in FOREIGN]
    for webhook in webhooks:
        webhook["rules"][0]["apiGroups"] = [foreign_group(group) for group in webhook["rules"][0]["apiGroups"]]
    return {**configuration, "metadata": {"name": f"foreign-{plural}"}, "webhooks": webhooks}


@pytest.mark.usefixtures("foreign")
def test_the_webhooks_fill_in_and_refuse_in_volcanos_words(cluster: BareCluster) -> None:
    cluster.change("/api/v1/namespaces/default", {"metadata": {"annotations": {QUEUE_OF_NAMESPACE: "root"}}})
    written = vcjob("one", 2)
    del written["spec"]["minAvailable"]
    api_version = "batch.volcano.example/v1alpha1"
    job = cluster.make(FOREIGN["jobs"], {**written, "apiVersion": api_version})
    group = cluster.make(FOREIGN["podgroups"], {"metadata": {"name": "one"}, "spec": {"minMember": 1}})
    bad = {**vcjob("two", 1, queue="none"), "apiVersion": api_version}
    refused = cluster.server.request("POST", FOREIGN["jobs"], bad).json()["message"]
    cluster.make(FOREIGN["queues"], {"metadata": {"name": "default"}, "spec": {}})
    kept = cluster.server.request("DELETE", f"{FOREIGN['queues']}/default").json()["message"]
    cluster.change("/api/v1/namespaces/default", {"metadata": {"annotations": {QUEUE_OF_NAMESPACE: None}}})

    assert (job["spec"]["minAvailable"], job["spec"]["queue"]) == (2, "default")
    assert group["spec"]["queue"] == "root"
    assert refused.startswith('admission webhook "validatejob.volcano.sh" denied the request: unable to find job queue')
    assert kept == 'admission webhook "validatequeue.volcano.sh" denied the request: `default` queue can not be deleted'


def test_the_printed_rights_are_enough_for_volcanos_kinds_and_no_more(cluster: BareCluster) -> None:
    a_job_with_a_volume_is_scaled_and_aborted(cluster)
    jobs_are_made_by_flows_and_clocks_and_go_when_their_time_is_over(cluster)
    a_queue_is_closed(cluster)
    a_lone_pod_gets_a_group_that_follows_its_owner(cluster)
    a_pod_of_a_training_job_gets_a_group_as_its_job_says(cluster)
    hyper_nodes_follow_labels(cluster)
    cluster.make(f"{KUBE_BATCH}/queues", {"metadata": {"name": "old"}, "spec": {"weight": 1}})
    group = {"metadata": {"name": "old"}, "spec": {"minMember": 1, "queue": "old"}}
    cluster.make(f"{KUBE_BATCH}/namespaces/default/podgroups", group)
    cluster.until(f"{KUBE_BATCH}/queues/old", lambda queue: queue.get("status"))

    granted = {(verb, group, resource) for group, resource, verb in listed_permissions(VOLCANO)}
    assert eventually_used(cluster, "manager", granted)
    assert refused(cluster, "manager") == set()


def test_the_printed_rights_are_enough_for_train_jobs_and_job_sets_and_no_more(cluster: BareCluster) -> None:
    the_runtimes_are_taken(cluster)
    a_training_that_takes_too_long_ends(cluster)
    jobs_rest_and_go_on_elsewhere(cluster)
    a_training_by_mpi_has_keys(cluster)
    what_failed_takes_the_rest_with_it(cluster)

    listed = [right for family in (JOBSET, TRAINER) for right in listed_permissions(family)]
    assert eventually_used(cluster, "manager", {(verb, group, resource) for group, resource, verb in listed})
    assert refused(cluster, "manager") == set()


def eventually_used(cluster: BareCluster, part: str, granted: set[Right]) -> bool:
    try:
        return eventually(lambda: not unused(cluster, part, granted), 120, "every right is used")
    except AssertionError as error:
        error.add_note(f"not used: {sorted(unused(cluster, part, granted))}")
        raise


def unused(cluster: BareCluster, part: str, granted: set[Right]) -> set[Right]:
    """Rights to lists are for servers whose watches do not begin with what is there, those to finalizers for guards."""
    wanted = {one for one in granted - SELDOM if one[0] != "list" and not one[2].endswith("/finalizers")}
    return wanted - used(cluster, part)


def refused(cluster: BareCluster, part: str) -> set[str]:
    """The resources that were asked for in vain."""
    told = [event for event in cluster.audited(part) if event["responseStatus"]["code"] == 403]
    return {event["objectRef"]["resource"] for event in told}


def rights_in(rules: list[Object]) -> set[Right]:
    return {
        (verb, rule["apiGroups"][0], resource)
        for rule in rules
        for verb in rule["verbs"]
        for resource in rule["resources"]
    }


def test_the_scheduler_places_preempts_and_reports_with_its_printed_rights(cluster: BareCluster) -> None:
    configure(cluster)
    cluster.make("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 1000})
    cluster.make("jobs", vcjob("low", 2, "6", minAvailable=1))
    for pod in ("low-worker-0", "low-worker-1"):
        cluster.fares(pod, "Running")
    cluster.make("jobs", vcjob("high", 1, "6", priorityClassName="high"))
    cluster.until("pods", lambda found: any(is_evicted(pod) for pod in found["items"]))
    claims_are_bound_before_their_pods(cluster)
    for path, scheduler, mark in (
        (KUBE_BATCH, "kube-batch", {"annotations": {"scheduling.k8s.io/group-name": "gang"}}),
        (COSCHEDULING, "scheduler-plugins", {"labels": {"scheduling.x-k8s.io/pod-group": "gang"}}),
    ):
        group = {"metadata": {"name": "gang"}, "spec": {"minMember": 1}}
        cluster.make(f"{path}/namespaces/default/podgroups", group)
        spec = pod_spec("10m", schedulerName=scheduler)
        cluster.make("pods", {"metadata": {"name": f"of-{scheduler}", **mark}, "spec": spec})
        cluster.placed(f"of-{scheduler}")

    granted = rights_in([*scheduler_rules(), *lease_rules("")])
    assert eventually_used(cluster, "scheduler", granted)
    assert refused(cluster, "scheduler") == {
        "gangbindings"
    }  # which only this server has: elsewhere pods are bound singly


def configure(cluster: BareCluster) -> None:
    """With the plugin that asks how busy nodes are."""
    conf = "actions: 'enqueue, allocate, preempt'\ntiers: [{plugins: [{name: priority}, {name: gang}, {name: usage}]}]"
    metadata = {"name": "volcano-scheduler-configmap"}
    path = "/api/v1/namespaces/volcano-system/configmaps"
    cluster.make(path, {"metadata": metadata, "data": {"volcano-scheduler.conf": conf}})


def is_evicted(pod: Object) -> bool:
    return pod["metadata"]["name"].startswith("low-") and "deletionTimestamp" in pod["metadata"]


@pytest.mark.parametrize(
    ("part", "method", "path"),
    [
        ("manager", "DELETE", "/api/v1/nodes/one"),
        ("manager", "DELETE", f"{QUEUES}/default"),
        ("manager", "GET", "/api/v1/namespaces"),
        ("manager", "DELETE", "/api/v1/namespaces/default/persistentvolumeclaims/any"),
        ("scheduler", "GET", "/api/v1/namespaces/default/secrets"),
        ("scheduler", "GET", "/api/v1/configmaps"),
        ("scheduler", "GET", "/api/v1/configmaps?fieldSelector=metadata.name=other"),
        ("scheduler", "POST", "/api/v1/namespaces/default/pods"),
        ("scheduler", "DELETE", "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs/any"),
    ],
)
def test_what_is_outside_the_rights_is_refused(cluster: BareCluster, part: str, method: str, path: str) -> None:
    assert asked(cluster, part, method, path) == 403


def test_the_one_configuration_may_be_asked_for_by_its_name(cluster: BareCluster) -> None:
    path = "/api/v1/configmaps?fieldSelector=metadata.name=volcano-scheduler-configmap"

    assert asked(cluster, "scheduler", "GET", path) == 200


def asked(cluster: BareCluster, part: str, method: str, path: str) -> int:
    """How a request fares with the rights of a part; told apart from what the part itself asks for."""
    user = f"system:serviceaccount:windlass:windlass-{part}"
    return cluster.server.request(
        method, path, {} if method == "POST" else None, headers={"impersonate-user": user}
    ).status
