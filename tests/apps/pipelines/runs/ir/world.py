"""A run in memory: an API server without a node, whose pods are run by the test, and a database on disk."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from tests.deploy.permitted import Permitted
from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.app import APP as PIPELINES
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.model import Run
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.runs.artifacts.exchanges import artifact_exchange
from windlass.apps.pipelines.runs.ir.run_controller import Caches, RunController
from windlass.apps.pipelines.runs.workflow_objects import workflow_of
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.json import Object, encode
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.testing import MemoryServer
from windlass.kube.view import typed, untyped

NAMESPACE = "ml"
RUN_ID = "11111111-2222-3333-4444-555555555555"
KEY = Key(NAMESPACE, "squares-abcde")
SQUARES = Path(__file__).parents[5] / "examples" / "pipelines" / "squares.yaml"
PODS, WORKFLOWS = KINDS.of(Pod), KINDS.of(Workflow)


class RunWorld:
    options = PipelineOptions()

    def __init__(self, folder: Path, database: Database) -> None:
        self.database = database
        self.volumes = folder / "volumes"
        self.server = MemoryServer(lambda: datetime.now(UTC))
        self.server.changed = self._changed
        self.kept_logs: list[str] = []
        self.woken: list[Key] = []
        self.restart()

    @classmethod
    async def open(cls, folder: Path) -> "RunWorld":
        folder.mkdir(parents=True, exist_ok=True)
        world = cls(folder, await open_database(f"sqlite:///{folder / 'pipelines.db'}"))
        world.bind_claim()
        return world

    def restart(self) -> None:
        """A new process: caches as the server has them, and a controller that remembers nothing."""
        self.workflows: Store[Object] = Store()
        self.pods: Store[Pod] = Store()
        for (kind, key), obj in self.server.objects.items():
            self._changed(kind, key, obj)
        client = Client(Permitted(self.server, PIPELINES))
        self.controller = RunController(
            client,
            Caches(workflows=self.workflows, pods=self.pods),
            self.database,
            artifact_exchange(client, self.exchange_options, self.woken.append),
            self.options,
            lambda run, pod: self.kept_logs.append(pod),
            self._keep_log,
        )

    @property
    def exchange_options(self) -> PipelineOptions:
        """The options of an embedded manager, whose claims are folders of this world."""
        return replace(self.options, volumes=str(self.volumes))

    async def _keep_log(self, run: Run, pod: str) -> None:
        self.kept_logs.append(pod)

    def _changed(self, kind: Kind, key: Key, obj: Object | None) -> None:
        if kind == WORKFLOWS:
            self.workflows.put(untyped(kind).decode(encode(obj))) if obj is not None else self.workflows.remove(key)
        if kind == PODS:
            self.pods.put(typed(Pod).decode(encode(obj))) if obj is not None else self.pods.remove(key)

    def bind_claim(self) -> None:
        folder = self.volumes / "artifacts"
        folder.mkdir(parents=True)
        claim: Object = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "pipeline-artifacts", "namespace": NAMESPACE},
            "spec": {"volumeName": "artifacts"},
        }
        volume: Object = {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "artifacts"},
            "spec": {"csi": {"driver": "shared.windlass.dev", "volumeHandle": "artifacts"}},
        }
        self.server.put(claim)
        self.server.put(volume)

    async def submit(self, spec: Object | None = None, **more: Any) -> Run:
        given = {"run_id": RUN_ID, "namespace": NAMESPACE, "display_name": "Squares", "resource_name": KEY.name}
        run = Run(
            **{
                **given,
                "pipeline_name": "squares",
                "spec": spec or yaml.safe_load(SQUARES.read_text()),
                "parameters": {"numbers": [1, 2, 3]},
                "service_account": "default-editor",
                "created_at": datetime.now(UTC).timestamp(),
                **more,
            }
        )
        await self.database.create(run)
        self.server.put(workflow_of(run))
        return run

    @property
    def pod_objects(self) -> list[Object]:
        return [obj for (kind, _), obj in self.server.objects.items() if kind == PODS]

    def run_pods(self) -> int:
        """Do what the containers of pending pods would do; answers how many ran."""
        pending = [pod for pod in self.pod_objects if pod.get("status", {}).get("phase") in (None, "Pending")]
        for pod in pending:
            container = pod["spec"]["containers"][0]
            value, file = container["args"]
            mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
            folder = self.volumes / "artifacts" / mounts["/tmp/kfp/outputs"]["subPath"]
            folder.mkdir(parents=True, exist_ok=True)
            numbers = json.loads(value)
            result = sum(numbers) if isinstance(numbers, list) else numbers**2
            (folder / Path(file).name).write_text(str(result))
            self.end(pod, "Succeeded", 0)
        return len(pending)

    def end(self, pod: Object, phase: str, code: int) -> None:
        state = {"terminated": {"exitCode": code, "reason": "Completed" if code == 0 else "Error"}}
        status = {"phase": phase, "containerStatuses": [{"name": "main", "state": state}]}
        self.server.put({**pod, "status": status})

    async def until_quiet(self) -> None:
        """Step, and run pods, until nothing changes any more."""
        for _ in range(60):
            await self.controller.step(KEY)
            if self.run_pods() == 0:
                return
        raise AssertionError("the run never comes to rest")
