"""A node's network namespace and pods for tests: real processes in real namespaces, as root or as an ordinary user."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_AGENT = str(Path(__file__).with_name("pod_agent.py"))


class Space:
    """A process in a network namespace of its own."""

    def __init__(self, *argv: str) -> None:
        self.process = subprocess.Popen(
            [*argv, sys.executable, _AGENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.ip = ""
        self.tell("fetch", "127.0.0.1", 1)  # when it answers, it is in its namespace

    @property
    def pid(self) -> int:
        return self.process.pid

    def tell(self, *command: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


def anchor() -> Space:
    """What holds the node's network; for an ordinary user, in a user namespace of his own."""
    return Space("unshare", "-n") if os.geteuid() == 0 else Space("unshare", "-r", "-n")


def pod(node: Space) -> Space:
    if os.geteuid() == 0:
        return Space("unshare", "-n")
    return Space("nsenter", "-t", str(node.pid), "-U", "--preserve-credentials", "unshare", "-n")
