"""kubectl as a person types it: command lines in one namespace, what they print, and what they refuse."""

import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support import KUBECTL, Windlass, eventually


@cache
def kubectl_minor() -> int:
    """30 for kubectl 1.30; 0 where there is none."""
    if KUBECTL is None:
        return 0
    said = subprocess.run([KUBECTL, "version", "--client", "-o", "json"], capture_output=True, timeout=60, check=True)
    return int(json.loads(said.stdout)["clientVersion"]["minor"].rstrip("+"))


def since(minor: int) -> pytest.MarkDecorator:
    """Marks a test of what kubectl can do from 1.`minor` on."""
    return pytest.mark.skipif(kubectl_minor() < minor, reason=f"kubectl is older than 1.{minor}")


@dataclass
class Shell:
    """A terminal whose current namespace is `namespace`, with a folder of its own for files."""

    server: Windlass
    namespace: str
    folder: Path

    def run(self, line: str, stdin: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        """One command line, whatever comes of it; quotes work as in a shell."""
        return subprocess.run(
            self._argv(line), input=stdin, capture_output=True, text=True, timeout=150, check=False,
            cwd=self.folder, env={**self._environment(), **environment},
        )  # fmt: skip

    def _argv(self, line: str) -> list[str]:
        return [KUBECTL or "kubectl", "-n", self.namespace, *shlex.split(line)]

    def _environment(self) -> dict[str, str]:
        """One home for all tests of a server, so that kubectl reads discovery once and not at every call."""
        home = self.server.data_dir.parent / "home"
        home.mkdir(exist_ok=True)
        return {**os.environ, "KUBECONFIG": str(self.server.kubeconfig), "HOME": str(home)}

    def __call__(self, line: str, stdin: str | None = None, **environment: str) -> str:
        """What a command that must succeed prints."""
        done = self.run(line, stdin, **environment)
        assert done.returncode == 0, f"kubectl {line}\n{done.stdout}{done.stderr}"
        return done.stdout.rstrip("\n")

    def fails(self, line: str, stdin: str | None = None, **environment: str) -> str:
        """What a command that must not succeed says."""
        done = self.run(line, stdin, **environment)
        assert done.returncode != 0, f"kubectl {line}\n{done.stdout}{done.stderr}"
        return done.stderr.rstrip("\n")

    def warns(self, line: str, stdin: str | None = None) -> str:
        """What a command that must succeed says besides its answer."""
        done = self.run(line, stdin)
        assert done.returncode == 0, f"kubectl {line}\n{done.stdout}{done.stderr}"
        return done.stderr.rstrip("\n")

    def json(self, line: str, stdin: str | None = None) -> Any:
        """What a command prints with `-o json`."""
        return json.loads(self(f"{line} -o json", stdin))

    def rows(self, line: str) -> list[list[str]]:
        """What a command prints, as words of lines."""
        return [row.split() for row in self(line).splitlines()]

    def file(self, name: str, text: str) -> str:
        """Write a file that commands may name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    def set_status(self, resource: str, status: dict[str, Any]) -> None:
        """Say how an object is doing, as its controller would."""
        patch = shlex.quote(json.dumps({"status": status}))
        self(f"patch {resource} --subresource=status --type=merge -p {patch}")

    @contextmanager
    def watching(self, line: str) -> Iterator["Watcher"]:
        """A command that keeps printing (`get -w`, `wait`), ended afterwards."""
        out = self.folder / "watch.out"
        with out.open("wb") as sink:
            process = subprocess.Popen(
                self._argv(line), stdout=sink, stderr=sink, stdin=subprocess.DEVNULL,
                cwd=self.folder, env=self._environment(),
            )  # fmt: skip
        try:
            yield Watcher(process, out)
        finally:
            process.terminate()
            process.wait(60)


@dataclass
class Watcher:
    """A running command and what it printed so far."""

    process: subprocess.Popen[bytes]
    out: Path

    def until(self, text: str) -> str:
        """Wait until `text` is printed; everything printed so far."""
        eventually(lambda: text in self.out.read_text(), 60, f"{text!r} from the command")
        return self.out.read_text()

    def ends(self) -> str:
        """Wait until the command ends well; everything it printed."""
        assert self.process.wait(90) == 0, self.out.read_text()
        return self.out.read_text()


DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: nginx:1
        env:
        - {name: FIRST, value: "1"}
        - {name: SECOND, value: "2"}
"""

PAUSED = DEPLOYMENT.replace("replicas: 2", "replicas: 2\n  paused: true")
"""A Deployment that makes no pods."""

WIDGETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Size, type: string, jsonPath: .spec.size}
    schema:
      openAPIV3Schema:
        type: object
        description: Something that a shop sells.
        properties:
          spec:
            type: object
            description: What is ordered.
            required: [size]
            properties:
              size: {type: string, description: How big it is., enum: [small, large]}
              replicas: {type: integer}
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
"""

WIDGET = """
apiVersion: shop.example/v1
kind: Widget
metadata: {name: lamp}
spec: {size: small, replicas: 1}
"""
