"""Windlass in place of Volcano on a cluster: the printed rights are enough for its controllers and its scheduler, and
hardly more; the default queue is made; what is outside the rights is refused."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.e2e.cluster.bare import BareCluster, Object, bare_cluster, phase, pod_spec, vcjob
from tests.e2e.cluster.test_cluster import Right, rights_of
from tests.support import eventually
from windlass.cli.cluster_rules import lease_rules
from windlass.cli.manifests import parts
from windlass.cli.scheduler_rules import scheduler_rules
from windlass.cli.volcano_rules import volcano_rights

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]

QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
KUBE_BATCH = "/apis/scheduling.incubator.k8s.io/v1alpha1"
COSCHEDULING = "/apis/scheduling.x-k8s.io/v1alpha1"
OFFERS = {"cpu": "8", "memory": "16Gi", "pods": "50"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BareCluster]:
    with bare_cluster(tmp_path_factory.mktemp("bare")) as cluster:
        cluster.make("/api/v1/namespaces", {"metadata": {"name": "volcano-system"}})
        for name in ("one", "two"):
            node = {"metadata": {"name": name, "labels": {"rack": "a", "kubernetes.io/hostname": name}}}
            cluster.make("/api/v1/nodes", {**node, "status": {"capacity": OFFERS, "allocatable": OFFERS}})
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
