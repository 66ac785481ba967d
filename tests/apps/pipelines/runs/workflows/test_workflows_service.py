"""The controllers of Workflows on a real API server; a stand-in for the node ends their pods."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, steps
from tests.deploy.permitted import Permitted
from tests.kube.live import bare_server, client, managed, room, until
from windlass.apis.core_v1 import ConfigMap, Pod, ServiceAccount
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.apis.rbac_v1 import RoleBinding
from windlass.apps.pipelines.app import APP as PIPELINES
from windlass.apps.pipelines.argo.observation import OutputsRequest
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.kinds.argo import CronWorkflow, Workflow
from windlass.apps.pipelines.runs.workflows.pod_outputs import ClaimOutputs, read_outputs
from windlass.apps.pipelines.runs.workflows.workflow_controllers import CRON_WORKFLOWS
from windlass.apps.pipelines.runs.workflows.workflows_service import argo_workflows
from windlass.kube.api import Api
from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.view import untyped

__all__ = ["bare_server", "client", "room"]
WORKFLOW, POD, BUDGET = KINDS.of(Workflow), KINDS.of(Pod), KINDS.of(PodDisruptionBudget)
ENDS = ("Succeeded", "Failed", "Error")


class Node:
    """Ends each pod once, by the exit code that its node's name has; remembers every pod that it has seen."""

    def __init__(self, client: Client, namespace: str, codes: dict[str, int] | None = None) -> None:
        self._client, self._namespace, self._codes = client, namespace, {} if codes is None else codes
        self.seen: list[str] = []

    async def run(self) -> None:
        while True:
            for pod in (await self._client.list(untyped(POD), self._namespace)).items:
                if pod["metadata"]["uid"] not in self.seen and "deletionTimestamp" not in pod["metadata"]:
                    self.seen.append(pod["metadata"]["uid"])
                    await self._end(pod)
            await asyncio.sleep(0.02)

    async def _end(self, pod: Object) -> None:
        name = pod["metadata"]["annotations"]["workflows.argoproj.io/node-name"].rpartition(".")[2]
        code = self._codes.get(name, 0)
        ended = {"exitCode": code, "finishedAt": "2026-01-01T00:00:00Z", "reason": "Error" if code else "Completed"}
        status = {
            "phase": "Failed" if code else "Succeeded",
            "containerStatuses": [
                {
                    "name": "main",
                    "ready": False,
                    "restartCount": 0,
                    "image": "i",
                    "imageID": "i",
                    "state": {"terminated": ended},
                }
            ],
        }
        await self._client.set_status(POD, Key(self._namespace, pod["metadata"]["name"]), status)


@asynccontextmanager
async def a_node(client: Client, namespace: str, codes: dict[str, int] | None = None) -> AsyncIterator[Node]:
    node = Node(client, namespace, codes)
    running = asyncio.create_task(node.run())
    try:
        yield node
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.fixture
async def account(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))


def as_manager(client: Client) -> Client:
    """A client with no more permissions than the manager has on a cluster."""
    return Client(Permitted(client._transport, PIPELINES))


async def submit(client: Client, namespace: str, workflow: Object) -> Key:
    workflow["metadata"] = {**workflow["metadata"], "namespace": namespace}
    made = await client.create(workflow, kind=WORKFLOW)
    return Key(namespace, made["metadata"]["name"])


async def ended(client: Client, key: Key) -> Object:
    async def check() -> Object | None:
        found = await client.get(untyped(WORKFLOW), key.name, key.namespace)
        return found if dig(found, "status", "phase") in ENDS else None

    found = await until(check)
    assert found is not None
    return found


def chain(length: int) -> Object:
    tasks = [a_task(f"t{n}", "c", **({"dependencies": [f"t{n - 1}"]} if n else {})) for n in range(length)]
    return a_workflow(a_dag("main", *tasks), a_container("c"))


async def test_a_graph_runs_to_its_end(client: Client, room: str, account: None) -> None:
    async with a_node(client, room) as node, managed(as_manager(client), argo_workflows(None)):
        workflow = chain(4)
        workflow["spec"]["workflowMetadata"] = {"labels": {"team": "a"}, "annotations": {"note": "b"}}
        done = await ended(client, await submit(client, room, workflow))

    assert (done["status"]["phase"], done["status"]["progress"]) == ("Succeeded", "4/4")
    assert (done["metadata"]["labels"]["team"], done["metadata"]["annotations"]["note"]) == ("a", "b")
    assert len(node.seen) == 4
    assert done["metadata"]["labels"]["workflows.argoproj.io/phase"] == "Succeeded"
    pods = (await client.list(untyped(POD), room)).items
    assert all(pod["metadata"]["ownerReferences"][0]["uid"] == done["metadata"]["uid"] for pod in pods)


async def test_a_budget_exists_as_long_as_the_workflow_runs(client: Client, room: str, account: None) -> None:
    async def names() -> list[str]:
        return [one["metadata"]["name"] for one in (await client.list(untyped(BUDGET), room)).items]

    async with managed(as_manager(client), argo_workflows(None)):
        key = await submit(client, room, a_workflow(a_container("c"), podDisruptionBudget={"minAvailable": "50%"}))
        assert await until(names) == [key.name]
        async with a_node(client, room):
            done = await ended(client, key)

            async def are_gone() -> bool:
                return not await names()

            await until(are_gone)

    assert done["status"]["phase"] == "Succeeded"


async def test_nothing_runs_twice_when_the_manager_is_restarted_again_and_again(
    client: Client, room: str, account: None
) -> None:
    key = await submit(client, room, chain(6))
    async with a_node(client, room) as node:
        for _ in range(40):
            async with managed(as_manager(client), argo_workflows(None)):
                await asyncio.sleep(0.1)
            found = await client.get(untyped(WORKFLOW), key.name, room)
            if dig(found, "status", "phase") in ENDS:
                break
        async with managed(as_manager(client), argo_workflows(None)):
            done = await ended(client, key)

    assert done["status"]["phase"] == "Succeeded"
    assert len(node.seen) == 6


async def test_a_manager_that_dies_after_any_write_leaves_nothing_undone_or_done_twice(
    client: Client, room: str, account: None
) -> None:
    workflow = a_workflow(
        steps("main", [a_task("a", "c"), a_task("b", "c")], [a_task("d", "c")]), a_container("c"), onExit="c"
    )
    key = await submit(client, room, workflow)

    class Dying(Client):
        """A client that refuses everything after some writes."""

        left = 1

        async def _count(self) -> None:
            if Dying.left <= 0:
                raise ApiError("the process was killed")
            Dying.left -= 1

        async def create(self, *args: Any, **options: Any) -> Any:
            await self._count()
            return await super().create(*args, **options)

        async def patch(self, *args: Any, **options: Any) -> Any:
            await self._count()
            return await super().patch(*args, **options)

    dying = Dying(client._transport)  # pyright: ignore[reportPrivateUsage] - the same connection, other behaviour
    async with a_node(client, room) as node:
        found: Object = {}
        for _ in range(60):
            Dying.left = 1
            async with managed(dying, argo_workflows(None)):
                await asyncio.sleep(0.15)
            found = await client.get(untyped(WORKFLOW), key.name, room)
            if dig(found, "status", "phase") in ENDS:
                break

    assert dig(found, "status", "phase") == "Succeeded"
    assert len(node.seen) == 4


async def test_a_pod_that_the_server_refuses_is_an_error_with_its_message(
    client: Client, room: str, account: None
) -> None:
    template = a_container("c")
    template["container"]["volumeMounts"] = [{"name": "missing", "mountPath": "/x"}]
    async with managed(as_manager(client), argo_workflows(None)):
        done = await ended(client, await submit(client, room, a_workflow(template)))

    assert done["status"]["phase"] == "Error"
    assert "volumeMounts" in done["status"]["message"]


async def test_a_claim_that_the_server_refuses_is_an_error_with_its_message(
    client: Client, room: str, account: None
) -> None:
    size = {"requests": {"storage": "much"}}
    claim = {"metadata": {"name": "work"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": size}}
    async with managed(as_manager(client), argo_workflows(None)):
        name = await submit(client, room, a_workflow(a_container("c"), volumeClaimTemplates=[claim]))
        done = await ended(client, name)

    assert done["status"]["phase"] == "Error"
    assert done["status"]["message"].startswith("PersistentVolumeClaim/w-work: ")
    assert {node["phase"] for node in done["status"]["nodes"].values()} == {"Error"}
    assert (await client.list(untyped(POD), room)).items == []


async def test_a_config_map_without_a_name_is_an_error(client: Client, room: str, account: None) -> None:
    reference = {"name": "", "key": "k"}
    workflow = a_workflow(
        a_container("c"), arguments={"parameters": [{"name": "p", "valueFrom": {"configMapKeyRef": reference}}]}
    )
    async with managed(as_manager(client), argo_workflows(None)):
        done = await ended(client, await submit(client, room, workflow))

    assert done["status"]["phase"] == "Error"
    assert "has no key 'k', or does not exist" in done["status"]["message"]


async def test_outputs_without_a_shared_claim_are_an_error_that_says_so(
    client: Client, room: str, account: None
) -> None:
    template = a_container("c", outputs={"parameters": [{"name": "p", "valueFrom": {"path": "/p"}}]})
    async with managed(as_manager(client), argo_workflows(None)):
        done = await ended(client, await submit(client, room, a_workflow(template)))

    assert done["status"]["phase"] == "Error"
    assert "artifact claim" in done["status"]["message"]


async def test_a_container_of_a_cluster_needs_a_command_where_it_has_artifacts(
    client: Client, room: str, account: None
) -> None:
    raw = {"name": "a", "path": "/a", "raw": {"data": "x"}}
    template: Object = {"name": "c", "container": {"image": "i"}, "inputs": {"artifacts": [raw]}}
    async with managed(as_manager(client), argo_workflows(None)):
        done = await ended(client, await submit(client, room, a_workflow(template)))

    assert done["status"]["phase"] == "Error"
    assert done["status"]["message"].startswith("container.command: required on a cluster")


async def test_the_workflow_of_an_ir_run_is_left_alone(client: Client, room: str, account: None) -> None:
    metadata = {"name": "ir", "labels": {"pipelines.windlass.dev/ir": "true"}}
    await submit(
        client, room, {"apiVersion": WORKFLOW.api_version, "kind": "Workflow", "metadata": metadata, "spec": {}}
    )
    async with a_node(client, room), managed(as_manager(client), argo_workflows(None)):
        await ended(client, await submit(client, room, chain(1)))

    assert "status" not in await client.get(untyped(WORKFLOW), "ir", room)


@pytest.mark.parametrize("is_allowed", [True, False])
async def test_objects_are_changed_with_the_rights_of_the_account(
    client: Client, room: str, account: None, is_allowed: bool
) -> None:
    if is_allowed:
        subject = {"kind": "ServiceAccount", "name": "default", "namespace": room}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"}
        binding = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "b", "namespace": room},
            "subjects": [subject],
            "roleRef": role,
        }
        await client.create(binding, kind=KINDS.of(RoleBinding))
    made = "{apiVersion: v1, kind: ConfigMap, metadata: {name: made}, data: {k: v}}"
    patch = "{apiVersion: v1, kind: ConfigMap, metadata: {name: made}, data: {k: w}}"

    def resource(name: str, action: str, manifest: str) -> Object:
        outputs = [{"name": "k", "valueFrom": {"jsonPath": "{.data.k}"}}]
        return {
            "name": name,
            "resource": {"action": action, "manifest": manifest},
            "outputs": {"parameters": outputs},
        }

    actions = ("create", "get", "patch", "apply", "replace", "delete")
    main = steps("main", *[[a_task(action)] for action in actions])
    templates = [
        resource(action, action, patch if action in ("patch", "apply", "replace") else made) for action in actions
    ]
    async with managed(as_manager(client), argo_workflows(None)):
        done = await ended(client, await submit(client, room, a_workflow(main, *templates)))

    nodes = {node["displayName"]: node for node in done["status"]["nodes"].values()}
    if not is_allowed:
        assert done["status"]["phase"] == "Error"
        assert "cannot create resource" in nodes["create"]["message"]
        return
    assert done["status"]["phase"] == "Succeeded", {name: node.get("message") for name, node in nodes.items()}
    assert nodes["get"]["outputs"]["parameters"][0]["value"] == "v"
    assert nodes["patch"]["outputs"]["parameters"][0]["value"] == "w"
    assert not [each for each in (await client.list(ConfigMap, room)).items if each.metadata.name == "made"]


async def test_a_schedule_creates_workflows_and_removes_old_ones(client: Client, room: str, account: None) -> None:
    cron = {
        "apiVersion": WORKFLOW.api_version,
        "kind": "CronWorkflow",
        "metadata": {"name": "often", "namespace": room},
        "spec": {
            "schedules": ["@every 1s"],
            "workflowSpec": a_workflow(a_container("c"))["spec"],
            "successfulJobsHistoryLimit": 1,
        },
    }
    await client.create(cron, kind=KINDS.of(CronWorkflow))

    async def counted() -> bool:
        found = await client.get(untyped(KINDS.of(CronWorkflow)), "often", room)
        return (dig(found, "status", "succeeded") or 0) >= 3

    async with a_node(client, room), managed(as_manager(client), argo_workflows(None), CRON_WORKFLOWS):
        await until(counted)
        listed = (await client.list(untyped(WORKFLOW), room)).items

    assert all(each["metadata"]["name"].startswith("often-") for each in listed)
    assert len(listed) < 4


# --- what pods left behind


class Folder(ClaimFolders):
    """A folder in place of all claims."""

    def __init__(self, api: Api, path: Path | None) -> None:
        super().__init__(api, path or Path("/nowhere"))
        self._path = path

    async def folder(self, namespace: str, claim: str = "") -> Path:
        if self._path is None:
            raise NoFolder("no pod has used the claim yet")
        return self._path


async def test_outputs_are_read_without_following_links(client: Client, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    claim = tmp_path / "claim"
    parameters = claim / ".argo/pod/parameters"
    parameters.mkdir(parents=True)
    (parameters / "p").write_text("value\n")
    (parameters / "link").symlink_to(secret)
    (claim / ".argo/pod/result").write_text("x" * 300_000)
    (claim / ".argo/pod/.placed-placed").touch()
    (claim / "minio/mlpipeline/k").mkdir(parents=True)
    request = OutputsRequest(
        pod="pod",
        parameters=("p", "link", "absent", "../../../../secret"),
        artifacts={
            "a": "minio://mlpipeline/k",
            "b": "minio://mlpipeline/other",
            "c": "minio://mlpipeline/../../../secret",
            "placed": "minio://mlpipeline/k",
            "stale": "minio://mlpipeline/k",
        },
        placed=frozenset({"placed", "stale"}),
        has_result=True,
    )

    found = await read_outputs(ClaimOutputs(Folder(client, claim)), "ns", request)

    assert found.parameters == {"p": "value\n", "link": None, "absent": None, "../../../../secret": None}
    assert found.artifacts == {"a": True, "b": False, "c": False, "placed": True, "stale": False}
    assert len(found.result or "") == 256 * 1024


async def test_outputs_that_cannot_be_read_say_why(client: Client) -> None:
    found = await read_outputs(ClaimOutputs(Folder(client, None)), "ns", OutputsRequest(pod="p", parameters=("x",)))

    assert found.error == "outputs cannot be read: no pod has used the claim yet"
