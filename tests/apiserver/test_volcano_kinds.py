"""Volcano's kinds as kubectl finds and shows them."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.apps.volcano.builders import written_job
from tests.support import Windlass, running

pytestmark = pytest.mark.kubectl

JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs"
GROUPS = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups"
HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    """Without controllers: what is shown is what the tests have written."""
    with running(tmp_path_factory.mktemp("kinds")) as windlass:
        yield windlass


@pytest.mark.parametrize(
    ("names", "places"),
    [
        ("podgroup,podGroup,podgroups,pg", {"scheduling.volcano.sh/v1beta1/podgroups"}),
        ("queue,queues,q", {"scheduling.volcano.sh/v1beta1/queues"}),
        ("job,jobs,cronjob,cronjobs,cj", {"batch/v1/jobs", "batch/v1/cronjobs"}),
        ("vcjob,vj", {"batch.volcano.sh/v1alpha1/jobs"}),
        ("cronvcjob,cronvj", {"batch.volcano.sh/v1alpha1/cronjobs"}),
        ("commands,jf,jt", {"bus.volcano.sh/v1alpha1/commands", "flow.volcano.sh/v1alpha1/jobflows",
                            "flow.volcano.sh/v1alpha1/jobtemplates"}),
        ("hn,numatopo", {"topology.volcano.sh/v1alpha1/hypernodes", "nodeinfo.volcano.sh/v1alpha1/numatopologies"}),
    ],
)  # fmt: skip
def test_a_name_means_the_kind_that_its_users_expect(server: Windlass, names: str, places: set[str]) -> None:
    told = server.kubectl(f"get {names} -A -v=6").stderr

    assert set(re.findall(r"/apis/([\w./]+)\?limit", told)) == places


def shown(server: Windlass, command: str) -> list[list[str]]:
    """The words of each line; the age of what has just been made is left out."""
    lines = server.kubectl(f"get {command}").stdout.splitlines()
    return [[word for word in line.split() if not re.fullmatch(r"(\d+[hms])+", word)] for line in lines]


def make(server: Windlass, place: str, obj: Any, status: Any) -> None:
    answer = server.request("POST", place, {**obj, "status": status})
    assert answer.status == 201, answer.body
    server.patch(f"{place}/{obj['metadata']['name']}/status", {"status": status})


def test_a_job_is_shown_with_its_phase_and_its_pods(server: Windlass) -> None:
    status = {"state": {"phase": "Running"}, "minAvailable": 2, "running": 2}
    make(server, JOBS, written_job(name="mnist"), status)

    assert shown(server, "vcjob") == [
        ["NAME", "STATUS", "MINAVAILABLE", "RUNNINGS", "AGE"],
        ["mnist", "Running", "2", "2"],
    ]
    assert shown(server, "vj -o wide")[1] == ["mnist", "Running", "2", "2", "default"]


def test_a_pod_group_without_running_pods_has_no_number_there(server: Windlass) -> None:
    make(server, GROUPS, {"metadata": {"name": "gang"}, "spec": {"minMember": 6}}, {"phase": "Pending"})

    assert shown(server, "podGroup") == [["NAME", "STATUS", "MINMEMBER", "RUNNINGS", "AGE"], ["gang", "Pending", "6"]]


def test_queues_are_shown_with_their_parents_and_hyper_nodes_with_their_tiers(server: Windlass) -> None:
    spec = {"tier": 1, "tierName": "rack", "members": [{"type": "Node", "selector": {"exactMatch": {"name": "a"}}}]}
    make(server, HYPER_NODES, {"metadata": {"name": "rack-1"}, "spec": spec}, {"nodeCount": 4})

    assert shown(server, "queues") == [["NAME", "PARENT"], ["default"], ["root"]]
    assert shown(server, "hn") == [["NAME", "TIER", "TIERNAME", "NODECOUNT", "AGE"], ["rack-1", "1", "rack", "4"]]


def test_a_refusal_is_told_as_a_webhooks(server: Windlass) -> None:
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", **written_job(name="bad", minAvailable=9)}

    refused = server.kubectl("create -f -", stdin=json.dumps(job), check=False)

    assert refused.stderr.strip() == (
        'Error from server: error when creating "STDIN": admission webhook "validatejob.volcano.sh" denied the request:'
        " job 'minAvailable' should not be greater than total replicas in tasks;"
    )
