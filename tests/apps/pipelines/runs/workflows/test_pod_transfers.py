"""Pods of Workflows on a cluster: the claim becomes a volume, and two containers copy what is in it."""

import subprocess
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.argo.inputs import Inputs
from windlass.apps.pipelines.argo.observation import OutputsRequest, PodPlaces
from windlass.apps.pipelines.argo.pods.pod_manifest import PodContext, build_pod
from windlass.apps.pipelines.artifacts.stores.store_locations import Place, PlacedArtifact, SecretKey
from windlass.apps.pipelines.artifacts.transfer_containers import WAIT, TransferSettings
from windlass.apps.pipelines.artifacts.transfer_plan import TransferPlan, from_arguments
from windlass.apps.pipelines.names import REPORT_ANNOTATION
from windlass.apps.pipelines.runs.workflows.pod_transfers import WorkflowTransfers, with_transfers
from windlass.kube.json import encode
from windlass.kube.view import typed

PROVIDERS = yaml.safe_dump({"minio": {"default": {"endpoint": "minio.storage:9000", "disableSSL": True}}})
SETTINGS = TransferSettings(image="windlass:1", providers=PROVIDERS)
TEMPLATE = {
    "name": "t",
    "container": {"image": "python:3", "command": ["python3"]},
    "initContainers": [{"name": "mine", "image": "busybox", "mirrorVolumeMounts": True}],
    "outputs": {
        "parameters": [{"name": "n", "valueFrom": {"path": "/tmp/n"}}],
        "artifacts": [{"name": "model", "path": "/tmp/model"}],
    },
}


def a_pod(template: Any = TEMPLATE, **metadata: Any) -> Any:
    context = PodContext(
        workflow="wf",
        namespace="ml",
        created=datetime(2026, 1, 2, tzinfo=UTC),
        spec={},
        node_id="wf-1",
        node_name="wf",
        pod_name="wf-t-1",
    )
    artifact = {"name": "data", "path": "/tmp/in", "s3": {"key": "artifacts/other/data"}}
    inputs = Inputs(parameters={}, artifacts={"data": artifact})
    pod = build_pod(template, inputs, context)
    owner = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "name": "wf", "uid": "u-1"}
    return {**pod, "metadata": {**pod["metadata"], "ownerReferences": [owner], **metadata}}


def plan_of(container: Any) -> TransferPlan:
    words = container["command"]
    return from_arguments(words[words.index("windlass.apps.pipelines.artifacts.transfer") + 2 :])


def test_the_claim_becomes_a_volume_with_the_same_mounts() -> None:
    before = a_pod()
    made = with_transfers(before, {}, SETTINGS)

    assert made["spec"]["containers"] == before["spec"]["containers"]
    assert {"name": "argo-artifacts", "emptyDir": {}} in made["spec"]["volumes"]
    assert not any("persistentVolumeClaim" in volume for volume in made["spec"]["volumes"])


def test_artifacts_parameters_and_results_are_copied_by_containers_of_windlass() -> None:
    made = with_transfers(a_pod(), {".argo/wf-t-1/script": "long"}, SETTINGS)

    fetch, publish, mine = made["spec"]["initContainers"]
    assert [one["name"] for one in (fetch, publish, mine)] == ["fetch-artifacts", "publish-artifacts", "mine"]
    assert [(one.uri, one.must_exist) for one in plan_of(fetch).inputs] == [
        ("minio://mlpipeline/artifacts/other/data", True)
    ]
    assert plan_of(fetch).texts == {".argo/wf-t-1/script": "long"}
    plan = plan_of(publish)
    assert plan.folders == ["minio://mlpipeline/artifacts/wf/2026/01/02/wf-t-1"]
    assert (plan.parameters, plan.result) == (".argo/wf-t-1/parameters", ".argo/wf-t-1/result")
    assert plan.report == made["metadata"]["annotations"][REPORT_ANNOTATION]
    assert plan.report == "minio://mlpipeline/.windlass/u-1/wf-t-1-0.json"


def test_a_pod_that_is_created_again_for_a_retry_reports_elsewhere() -> None:
    first, again = (
        with_transfers(a_pod(annotations={"pipelines.windlass.dev/retries": retries}), {}, SETTINGS)
        for retries in ("0", "1")
    )

    assert first["metadata"]["annotations"][REPORT_ANNOTATION] != again["metadata"]["annotations"][REPORT_ANNOTATION]


def test_an_output_that_names_its_key_is_published_with_the_folder_of_that() -> None:
    artifact = {"name": "model", "path": "/tmp/model", "s3": {"bucket": "mine", "key": "models/a"}}
    _, publish, *_ = with_transfers(a_pod({**TEMPLATE, "outputs": {"artifacts": [artifact]}}), {}, SETTINGS)["spec"][
        "initContainers"
    ]

    assert plan_of(publish).folders == ["minio://mine/models"]


def test_artifacts_that_name_their_stores_are_copied_with_their_own_secrets() -> None:
    place = Place(scheme="s3", bucket="b", key="k", endpoint="e", secrets=(SecretKey(name="mine", key="id"),))
    placed = PlacedArtifact(place=place, path=".argo/wf-t-1/inputs/x")
    made = with_transfers(a_pod(), {}, SETTINGS, PodPlaces(inputs=(placed,), outputs=(placed,)))

    fetch, publish, _ = made["spec"]["initContainers"]
    assert (plan_of(fetch).placed_inputs, plan_of(fetch).placed_outputs) == ([placed], [])
    assert plan_of(publish).placed_outputs == [placed]
    secrets = [volume["secret"]["secretName"] for volume in made["spec"]["volumes"] if "secret" in volume]
    assert "mine" in secrets


def test_a_patch_that_removes_the_main_container_is_refused() -> None:
    pod = a_pod()
    pod["spec"]["containers"][0]["name"] = "other"

    with pytest.raises(ValueError, match="podSpecPatch: it removes the container main"):
        with_transfers(pod, {}, SETTINGS)


def test_the_sidecar_publishes_when_it_is_ended() -> None:
    words = ["sh", "-c", WAIT.replace("while", "echo waits; while"), "sh", "echo", "published"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        process.terminate()
        rest, _ = process.communicate(timeout=20)

    assert rest == "published\n"


def test_the_sidecar_publishes_even_if_it_is_ended_before_it_sleeps() -> None:
    """The signal may come before the shell has begun to wait."""
    early = WAIT.replace("sleep 10", "kill -TERM $$; sleep 0.2")
    assert early != WAIT

    done = subprocess.run(
        ["sh", "-c", early, "sh", "echo", "published"], capture_output=True, text=True, timeout=10, check=False
    )

    assert done.stdout == "published\n"


def test_a_namespace_without_a_store_is_refused_by_the_setting() -> None:
    with pytest.raises(ValueError, match=r"providers\.minio\.default\.endpoint in the ConfigMap kfp-launcher"):
        with_transfers(a_pod(), {}, TransferSettings(image="windlass:1"))


async def test_a_pod_of_an_embedded_windlass_has_no_report() -> None:
    transfers = WorkflowTransfers(None, None, "windlass:1")  # type: ignore[arg-type] - neither is asked
    pod = typed(Pod).decode(encode({"metadata": {"name": "p"}}))

    assert "embedded" in (await transfers.read("ml", pod, OutputsRequest(pod="p", has_result=True))).error
    assert (await transfers.read("ml", pod, OutputsRequest(pod="p"))).error == "", "it has no outputs"
