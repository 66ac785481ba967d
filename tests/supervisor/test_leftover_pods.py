"""Pods that were left running by a kill are found and ended, also those that were being made in that moment."""

import subprocess
import sys
from pathlib import Path

from tests.node.runtimes.bench import processes
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.leftover_pods import end_pods

ROOT = Path(__file__).parents[2]
KILLED_WHILE_IT_STARTS_PODS = """
import asyncio, os, signal, socket, sys
from pathlib import Path
import msgspec
from windlass.node.runtimes.base import PodSpec
from windlass.node.runtimes.sandbox.zygotes import Zygote

async def start(data):
    (data / "node").mkdir()
    zygote = Zygote(data)
    await zygote.start([])
    os.kill(zygote.pid, signal.SIGSTOP)  # it is slow: requests lie in its socket when the node is killed
    for number in range(3):
        uid = f"pod-{number}"
        folder = data / "node" / "pods" / uid
        folder.mkdir(parents=True)
        spec = PodSpec(uid, "default", uid, str(folder), "a-host", hosts="")
        _, theirs = socket.socketpair()
        await zygote.send({"do": "pod", "pod": msgspec.to_builtins(spec)}, [theirs.fileno()])
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(start(Path(sys.argv[1])))
"""


def test_supervisors_that_are_still_to_be_forked_when_the_node_is_killed_are_ended_too(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    with errors.open("wb") as out:  # not a pipe, which the zygote would hold open
        words = [sys.executable, "-c", KILLED_WHILE_IT_STARTS_PODS, str(tmp_path)]
        started = subprocess.run(words, cwd=ROOT, stderr=out, timeout=100, check=False)
    assert started.returncode == -9, errors.read_text()
    assert processes(str(tmp_path)), "the zygote still runs"

    end_pods(DataDir(tmp_path))

    assert processes(str(tmp_path)) == []


def test_processes_that_only_mention_the_folder_are_left_alone(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()", str(tmp_path)], stdin=subprocess.PIPE) as other:
        end_pods(DataDir(tmp_path))

        assert other.poll() is None
        other.kill()
