"""What the node agent says about this machine reaches who types `windlass up` and `windlass status`."""

import json
from pathlib import Path

import pytest

from tests.supervisor.builders import Listener, a_component, a_data_dir, a_lock
from windlass.cli.status import gather
from windlass.cli.up import Terminal
from windlass.supervisor import node_facts
from windlass.supervisor.child import Child, Component
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.supervise import Supervisor

TOLD = {
    "runtime": "process",
    "limits": "rlimits: CPU limits are not kept",
    "problems": ["there is no way out\nfor two reasons"],
}


def a_ready_node(data: DataDir, told: object = TOLD) -> Child:
    data.node_ready_file.write_text(json.dumps(told))
    node = Component(name="node", argv=("true",), log=data.log_of("node"), ready_file=data.node_ready_file)
    return Child(node, inherited_fd=-1, changed=lambda child: None)


def test_up_shows_what_is_missing_below_the_nodes_tick(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = a_data_dir(tmp_path)

    Terminal("https://127.0.0.1:6443", data).started(a_ready_node(data), 0.5)

    assert capsys.readouterr().out.splitlines()[1:] == ["    ! there is no way out; for two reasons"]


def test_the_ticks_of_other_components_say_nothing_of_the_node(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = a_data_dir(tmp_path)
    a_ready_node(data)
    server = Child(a_component(data, "server"), inherited_fd=-1, changed=lambda child: None)

    Terminal("https://127.0.0.1:6443", data).started(server, 0.5)

    assert len(capsys.readouterr().out.splitlines()) == 1


async def test_status_has_the_runtime_its_limits_and_its_problems(tmp_path: Path) -> None:
    data = a_data_dir(tmp_path)
    a_ready_node(data)
    Supervisor([], data, a_lock(data), Listener(), url="")

    assert gather(data)["node"] == {**TOLD, "problems": tuple(TOLD["problems"])}


@pytest.mark.parametrize("told", [[], {}, {"runtime": "sandbox"}])
def test_a_mark_of_another_version_says_nothing(tmp_path: Path, told: object) -> None:
    data = a_data_dir(tmp_path)
    a_ready_node(data, told)

    assert node_facts.load(data) is None
    assert node_facts.problems(data) == ()


def test_without_an_agent_nothing_is_said(tmp_path: Path) -> None:
    assert node_facts.load(a_data_dir(tmp_path)) is None
