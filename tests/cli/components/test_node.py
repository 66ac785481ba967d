"""Flags of `windlass node` reach the agent and what it starts."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from windlass.cli.components.node import node
from windlass.kube.client import Client
from windlass.node.agent import Options
from windlass.node.runtimes.choice import start_runtime

GIVEN = pytest.mark.parametrize("is_given", [True, False])


@GIVEN
def test_the_agent_is_given_whether_pods_reach_the_clouds_metadata(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_given: bool
) -> None:
    seen: list[Options] = []

    class FakeAgent:
        def __init__(self, client: Client, options: Options) -> None:
            seen.append(options)

        async def run(self, stop: object, ready: object) -> None:
            return None

    async def answers(socket: Path) -> bool:
        return True

    monkeypatch.setattr("windlass.node.agent.Agent", FakeAgent)
    monkeypatch.setattr("windlass.cli.components.node.answers_ready", answers)
    flags = [f"--data-dir={tmp_path}", *(["--allow-metadata"] if is_given else [])]
    done = CliRunner().invoke(node, flags, env={"WINDLASS_ALLOW_METADATA": None}, catch_exceptions=False)

    assert done.exit_code == 0, done.output
    assert [options.allow_metadata for options in seen] == [is_given]


@GIVEN
async def test_the_network_of_sandboxes_is_given_whether_pods_reach_the_clouds_metadata(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_given: bool
) -> None:
    seen: list[bool] = []

    class FakeNetwork:
        problems = ()

        def __init__(self, *_: object, metadata: bool, **__: object) -> None:
            seen.append(metadata)

        async def start(self, anchor: int) -> None:
            return None

        async def stop(self) -> None:
            return None

    async def nothing() -> list[str]:
        return []

    sandbox: Any = SimpleNamespace(start=nothing, anchor_pid=1)
    monkeypatch.setattr("windlass.node.runtimes.sandbox.probe.problems", nothing)
    monkeypatch.setattr("windlass.node.runtimes.sandbox.runtime.Sandbox", lambda data: sandbox)
    monkeypatch.setattr("windlass.node.network.network.Network", FakeNetwork)
    client: Any = None
    await start_runtime(client, Options(data=tmp_path, name="a", server=("127.0.0.1", 1), allow_metadata=is_given))

    assert seen == [is_given]
