"""`windlass scheduler`: gangs are placed beside another scheduler, whose pods are left alone; and its options."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from tests.support import Windlass, eventually, free_port, running
from windlass.cli.components.scheduler import conf_of, options_of, scheduler
from windlass.cli.failure import Failure
from windlass.cli.settings import SchedulerSettings

CONF = """
actions: "enqueue, allocate"
tiers:
- plugins: [{name: priority}, {name: gang, enablePreemptable: false, enableBestNode: true}]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("cluster")) as windlass:
        yield windlass


def made(server: Windlass, path: str, obj: dict[str, Any]) -> None:
    answer = server.request("POST", path, obj)
    assert answer.status == 201, answer.body


def test_gangs_are_placed_and_pods_of_the_clusters_own_scheduler_are_left_alone(server: Windlass) -> None:
    probes = free_port()
    offers = {"cpu": "4", "memory": "8Gi", "pods": "20"}
    for name, labels in (("used", {"for": "gangs"}), ("unused", {})):
        node = {"metadata": {"name": name, "labels": labels}, "status": {"capacity": offers, "allocatable": offers}}
        made(server, "/api/v1/nodes", node)
    made(server, "/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "default"}})
    group = {"metadata": {"name": "gang"}, "spec": {"minMember": 3}}
    made(server, "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups", group)
    for number in range(3):
        made(server, "/api/v1/namespaces/default/pods", a_pod(f"member-{number}", "volcano"))
    made(server, "/api/v1/namespaces/default/pods", a_pod("other", "default-scheduler"))
    argv = [sys.executable, "-m", "windlass", "scheduler", f"--kubeconfig={server.kubeconfig}"]
    argv += ["--listen-address=0", f"--healthz-address=127.0.0.1:{probes}", "--node-selector=for=gangs"]
    log = server.data_dir / "scheduler.log"
    with log.open("wb") as told:
        process = subprocess.Popen(argv, stdout=told, stderr=told, stdin=subprocess.DEVNULL)
    try:
        eventually(lambda: is_ready(probes), 60, "it is ready")
        eventually(lambda: [nodes(server)[f"member-{n}"] for n in range(3)] == ["used"] * 3, 60, "the gang has nodes")
        assert nodes(server)["other"] == ""
    except AssertionError as error:
        error.add_note(log.read_text()[-3000:])
        raise
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(40) == 0


def a_pod(name: str, scheduler_name: str) -> dict[str, Any]:
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "1"}}}
    metadata = {"name": name, "annotations": {"scheduling.k8s.io/group-name": "gang"}}
    return {"metadata": metadata, "spec": {"schedulerName": scheduler_name, "containers": [container]}}


def nodes(server: Windlass) -> dict[str, str]:
    pods = server.request("GET", "/api/v1/namespaces/default/pods").json()["items"]
    return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in pods}


def is_ready(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def test_without_a_cluster_it_says_what_is_missing() -> None:
    answer = CliRunner().invoke(scheduler, [])

    assert answer.exit_code != 0
    assert "--kubeconfig FILE or --in-cluster" in answer.output


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"scheduler_name": ("nobody",)}, "--scheduler-name: nobody is not supported"),
        ({"schedule_period": "soon"}, "--schedule-period: 'soon' is not a time"),
        ({"node_selector": "a in (("}, "--node-selector: "),
    ],
)
def test_a_mistake_is_told_by_the_name_of_its_flag(given: dict[str, Any], why: str) -> None:
    with pytest.raises(Failure, match=r".") as caught:
        options_of(SchedulerSettings(**given))

    assert why in caught.value.message


def test_what_is_asked_for_is_what_is_done() -> None:
    options = options_of(SchedulerSettings(scheduler_name=("volcano",), schedule_period="500ms", default_queue="q"))

    assert options.names == {"volcano"}
    assert (options.period, options.default_queue) == (0.5, "q")
    assert "default-scheduler" not in options_of(SchedulerSettings()).names
    assert "gangpreempt" in options.conf.actions
    assert "gangpreempt" not in conf_of(SchedulerSettings(preemption="off")).actions


def test_a_configuration_in_volcanos_format_is_used_and_what_has_no_effect_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "volcano-scheduler.conf"
    path.write_text(CONF)

    conf = conf_of(SchedulerSettings(scheduler_conf=path))

    assert conf.actions == ("enqueue", "allocate")
    assert [plugin.name for plugin in conf.tiers[0]] == ["priority", "gang"]
    assert conf.tiers[0][1].off == {"preemptable"}
    assert "enableBestNode has no effect here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("actions: fly", "there is no action fly"),
        ("tiers: []", "actions: none is named"),
        ("actions: allocate\ntiers: [{plugins: [{name: wings}]}]", "tiers[0]: there is no plugin wings"),
        ("actions: allocate\ntiers: 3", "tiers: it must be a list"),
        ("actions: allocate, gangpreempt, preempt", "gangpreempt and preempt exclude each other"),
        (
            "actions: allocate\ntiers: [{plugins: [{name: drf, enableHierarchy: true}, {name: proportion}]}]",
            "proportion and drf with enableHierarchy exclude each other",
        ),
        ("- a", "it must be a mapping"),
        ("a: [", "it is not YAML"),
    ],
)
def test_a_configuration_that_cannot_be_used_says_what_is_wrong_with_it(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "conf"
    path.write_text(text)

    with pytest.raises(Failure) as caught:
        conf_of(SchedulerSettings(scheduler_conf=path))

    assert why in caught.value.message
