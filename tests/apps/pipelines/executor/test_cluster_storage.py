"""Pods of tasks on a cluster: an init container fetches, a sidecar publishes, and only these see credentials."""

from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from tests.apps.pipelines.executor.builders import OWNER, TASK, a_context, a_dataset
from windlass.apps.pipelines.artifacts.transfer_containers import PUBLISH_SECONDS, TransferSettings
from windlass.apps.pipelines.artifacts.transfer_plan import TransferPlan, as_arguments, from_arguments
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.pod import ClusterStorage, EmbeddedStorage, pod
from windlass.apps.pipelines.model import imported_id

ROOT = "s3://bucket/root"
OUTPUTS = {"outputDefinitions": {"artifacts": {"data": {}}, "parameters": {"n": {"parameterType": "NUMBER_INTEGER"}}}}
PROVIDERS = yaml.safe_dump(
    {
        "s3": {
            "default": {"endpoint": "minio.storage:9000", "disableSSL": True},
            "overrides": [
                {
                    "bucketName": "other",
                    "credentials": {
                        "secretRef": {"secretName": "other-keys", "accessKeyKey": "id", "secretKeyKey": "key"}
                    },
                }
            ],
        }
    }
)


def a_pod(context: TaskContext, providers: str = PROVIDERS) -> Any:
    storage = ClusterStorage(TransferSettings(image="windlass:1", providers=providers))
    return pod(context, storage, owner=OWNER, pod_name="p")


def a_task(**fields: Any) -> TaskContext:
    return a_context(pipeline_root=ROOT, component=OUTPUTS, **fields)


def plan_of(container: Any) -> TransferPlan:
    words = container["command"]
    return from_arguments(words[words.index("windlass.apps.pipelines.artifacts.transfer") + 2 :])


def container_of(made: Any, name: str) -> Any:
    return next(one for one in made["spec"]["initContainers"] if one["name"] == name)


def test_the_main_container_sees_the_same_paths_as_on_one_machine() -> None:
    context = a_task(artifacts={"x": [a_dataset(uri="s3://other/x")]})
    embedded = pod(context, EmbeddedStorage(), owner=OWNER, pod_name="p")["spec"]
    made = a_pod(context)["spec"]

    assert made["containers"] == embedded["containers"]
    assert next(one for one in made["volumes"] if one["name"] == "artifacts") == {"name": "artifacts", "emptyDir": {}}
    assert not any("persistentVolumeClaim" in one for one in made["volumes"])


def test_inputs_are_fetched_by_an_init_container_and_outputs_published_by_a_sidecar() -> None:
    imported = a_dataset(imported_id("t"), uri="s3://other/imported", task_id="t")
    made = a_pod(a_task(artifacts={"x": [a_dataset(uri="s3://bucket/made"), imported]}))

    fetch, publish = made["spec"]["initContainers"]
    assert (fetch["name"], fetch["image"], "restartPolicy" in fetch) == ("fetch-artifacts", "windlass:1", False)
    assert {one.uri: one.must_exist for one in plan_of(fetch).inputs} == {
        "s3://bucket/made": False,
        "s3://other/imported": True,
    }
    assert (publish["name"], publish["restartPolicy"]) == ("publish-artifacts", "Always")
    plan, root = plan_of(publish), "bucket/root/train-and-predict/run-1/train/task-1"
    assert plan.artifacts == {"data": f"s3://{root}/data"}
    assert plan.executor_output == f"s3/{root}/output_metadata.json"
    assert plan.parameters == ".parameters/task-1-0"
    assert plan.report == f"s3://{root}/.windlass/attempt-0.json"
    assert made["spec"]["terminationGracePeriodSeconds"] == PUBLISH_SECONDS


def test_each_attempt_reports_on_its_own() -> None:
    made = a_pod(a_task(task=replace(TASK, attempt=2)))

    assert plan_of(container_of(made, "publish-artifacts")).report.endswith("/.windlass/attempt-2.json")


def test_only_the_containers_that_copy_see_the_secrets_of_stores() -> None:
    made = a_pod(a_task(artifacts={"x": [a_dataset(uri="s3://other/x")]}))["spec"]

    secrets = {one["name"]: one["secret"] for one in made["volumes"] if "secret" in one}
    assert {one["secretName"] for one in secrets.values()} == {"mlpipeline-minio-artifact", "other-keys"}
    assert all(one["optional"] for one in secrets.values()), "the program says which one is missing"
    assert not [mount for mount in made["containers"][0]["volumeMounts"] if mount["name"] in secrets]
    for container in made["initContainers"]:
        assert {mount["name"] for mount in container["volumeMounts"]} == {"artifacts", *secrets}


def test_a_task_without_inputs_and_outputs_needs_no_other_container() -> None:
    made = a_pod(a_context(pipeline_root=ROOT))["spec"]

    assert "initContainers" not in made
    assert "terminationGracePeriodSeconds" not in made
    assert not any("secret" in one for one in made["volumes"])


def test_artifacts_without_content_are_not_fetched() -> None:
    made = a_pod(a_task(artifacts={"x": [a_dataset(uri="s3://bucket/metrics", has_content=False)]}))

    assert [one["name"] for one in made["spec"]["initContainers"]] == ["publish-artifacts"]


def test_a_copy_in_the_workspace_is_fetched_into_the_workspace() -> None:
    artifact = a_dataset(uri="s3://bucket/x", metadata={"_kfp_workspace": True})
    made = a_pod(a_task(artifacts={"x": [artifact]}, pipeline_config={"workspace": {"size": "1Gi"}}))

    fetch = container_of(made, "fetch-artifacts")
    assert plan_of(fetch).inputs[0].workspace_path == ".artifacts/s3/bucket/x"
    volume = next(one["name"] for one in fetch["volumeMounts"] if one["mountPath"] == "/var/run/windlass/workspace")
    claims = {one["name"]: one.get("persistentVolumeClaim") for one in made["spec"]["volumes"]}
    assert claims[volume] == {"claimName": "train-and-predict-x7k2p-kfp-workspace"}


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ({}, (0, ["DAC_OVERRIDE"])),
        ({"securityContext": {"runAsUser": 1000}}, (1000, None)),
        ({"securityContext": {"runAsNonRoot": True}}, (None, None)),
    ],
)
def test_files_are_copied_as_the_user_of_the_main_container_if_that_is_known(platform: Any, expected: Any) -> None:
    context = container_of(a_pod(a_task(platform=platform)), "publish-artifacts")["securityContext"]

    assert (context.get("runAsUser"), context["capabilities"].get("add")) == expected
    assert context["capabilities"]["drop"] == ["ALL"]
    assert context["allowPrivilegeEscalation"] is False


def test_a_root_without_a_store_is_refused_by_its_setting() -> None:
    with pytest.raises(ValueError, match=r"providers\.minio\.default\.endpoint in the ConfigMap kfp-launcher"):
        a_pod(a_context(pipeline_root="minio://mlpipeline/v2", component=OUTPUTS))


def test_inputs_that_cannot_be_files_are_refused() -> None:
    reads = {"args": ["{{$.inputs.artifacts['x'].path}}"]}
    with pytest.raises(ValueError, match="input artifact x: https://host/file"):
        a_pod(a_task(artifacts={"x": [a_dataset(uri="https://host/file")]}, container=reads))


def test_a_model_in_an_image_is_mounted_and_not_fetched() -> None:
    manifest = a_pod(a_task(artifacts={"x": [a_dataset(uri="oci://registry.example.com/model:1")]}))

    image = next(one["image"] for one in manifest["spec"]["volumes"] if "image" in one)
    assert image == {"reference": "registry.example.com/model:1"}
    assert all("oci://" not in str(one) for one in manifest["spec"].get("initContainers", []))


def test_a_plan_of_any_size_becomes_arguments_that_kubernetes_leaves_alone() -> None:
    plan = TransferPlan(namespace="ns", artifacts={f"a{n}": f"s3://bucket/$(HOME)/{n}" for n in range(20_000)})

    words = as_arguments(plan)

    assert len(words) > 1
    assert max(map(len, words)) < 128 << 10
    assert not any("$" in word for word in words)
    assert from_arguments(words) == plan
