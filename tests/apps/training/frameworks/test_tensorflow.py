"""TF_CONFIG byte for byte, and who decides on a TFJob."""

import pytest

from tests.apps.training.frameworks.jobs import a_job, environment
from windlass.apps.training.framework import Leading
from windlass.apps.training.frameworks.tensorflow import FRAMEWORK
from windlass.apps.training.options import Options

ALL_ROLES = {"Chief": 1, "PS": 2, "Worker": 2, "Evaluator": 1}
CLUSTER = (
    '"cluster":{"chief":["demo-chief-0.team-a.svc:2222"],"evaluator":["demo-evaluator-0.team-a.svc:2222"],'
    '"ps":["demo-ps-0.team-a.svc:2222","demo-ps-1.team-a.svc:2222"],'
    '"worker":["demo-worker-0.team-a.svc:2222","demo-worker-1.team-a.svc:2222"]}'
)


@pytest.mark.parametrize(
    ("replica_type", "index", "task"),
    [
        ("Worker", 1, '{"type":"worker","index":1}'),
        ("PS", 0, '{"type":"ps","index":0}'),
        ("Chief", 0, '{"type":"chief","index":0}'),
        ("Evaluator", 0, '{"type":"evaluator","index":0}'),
    ],
)
def test_every_replica_is_told_of_all_others(replica_type: str, index: int, task: str) -> None:
    job = a_job(FRAMEWORK, ALL_ROLES)

    assert environment(job, replica_type, index) == [f'TF_CONFIG={{{CLUSTER},"task":{task},"environment":"cloud"}}']


def test_a_master_keeps_its_name() -> None:
    job = a_job(FRAMEWORK, {"Master": 1, "Worker": 1})

    assert environment(job, "Master", 0) == [
        'TF_CONFIG={"cluster":{"master":["demo-master-0.team-a.svc:2222"],"worker":["demo-worker-0.team-a.svc:2222"]},'
        '"task":{"type":"master","index":0},"environment":"cloud"}'
    ]


def test_a_job_of_one_pod_gets_no_cluster() -> None:
    assert environment(a_job(FRAMEWORK, {"Worker": 1}), "Worker", 0) == []


def test_names_end_in_the_domain_that_the_operator_was_given() -> None:
    job = a_job(FRAMEWORK, {"Worker": 2}, Options(cluster_domain="cluster.local"))

    assert '"demo-worker-1.team-a.svc.cluster.local:2222"' in environment(job, "Worker", 0)[0]


def test_a_port_of_the_templates_own_is_used() -> None:
    assert '"demo-worker-1.team-a.svc:5000"' in environment(a_job(FRAMEWORK, {"Worker": 2}, port=5000), "Worker", 0)[0]


@pytest.mark.parametrize(
    ("replica_type", "index", "config"),
    [
        (
            "Worker",
            1,
            '{"cluster":{"worker":{"1":"demo-worker-1.team-a.svc:2222"},'
            '"ps":["demo-ps-0.team-a.svc:2222","demo-ps-1.team-a.svc:2222"]},"task":{"type":"worker","index":1}}',
        ),
        (
            "PS",
            1,
            '{"cluster":{"worker":{},"ps":["demo-ps-1.team-a.svc:2222"]},"task":{"type":"ps","index":1}}',
        ),
        (
            "Chief",
            0,
            '{"cluster":{"worker":{},"ps":["demo-ps-0.team-a.svc:2222","demo-ps-1.team-a.svc:2222"],'
            '"chief":["demo-chief-0.team-a.svc:2222"]},"task":{"type":"chief","index":0}}',
        ),
        (
            "Evaluator",
            0,
            '{"cluster":{"worker":{},"ps":["demo-ps-0.team-a.svc:2222","demo-ps-1.team-a.svc:2222"],'
            '"evaluator":["demo-evaluator-0.team-a.svc:2222"]},"task":{"type":"evaluator","index":0}}',
        ),
    ],
)
def test_dynamic_workers_make_the_cluster_sparse(replica_type: str, index: int, config: str) -> None:
    job = a_job(FRAMEWORK, ALL_ROLES, enableDynamicWorker=True)

    assert environment(job, replica_type, index) == [f"TF_CONFIG={config}"]


@pytest.mark.parametrize(
    ("counts", "policy", "leading"),
    [
        ({"Chief": 1, "Worker": 2}, "", Leading("Chief")),
        ({"Master": 1, "PS": 1}, "AllWorkers", Leading("Master")),
        ({"Worker": 2, "PS": 1}, "", Leading("Worker", "first")),
        ({"Worker": 2}, "AllWorkers", Leading("Worker", "all")),
    ],
)
def test_the_chief_leads_else_the_workers(counts: dict[str, int], policy: str, leading: Leading) -> None:
    assert FRAMEWORK.leading(a_job(FRAMEWORK, counts, successPolicy=policy)) == leading


def test_only_a_dynamic_worker_may_fail() -> None:
    fixed, dynamic = a_job(FRAMEWORK, ALL_ROLES), a_job(FRAMEWORK, ALL_ROLES, enableDynamicWorker=True)

    assert not FRAMEWORK.tolerates_failure(fixed, "Worker")
    assert FRAMEWORK.tolerates_failure(dynamic, "Worker")
    assert not FRAMEWORK.tolerates_failure(dynamic, "PS")


def test_replicas_are_not_restarted_unless_the_job_says_so() -> None:
    assert a_job(FRAMEWORK, {"Worker": 1}).replicas["Worker"].restart_policy == "Never"


def test_replica_types_are_known_in_any_case() -> None:
    assert list(a_job(FRAMEWORK, {"WORKER": 1, "Ps": 2}).replicas) == ["PS", "Worker"]
