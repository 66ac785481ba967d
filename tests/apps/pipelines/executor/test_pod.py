"""A task's pod has all that its component, its platform spec and the server ask for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.apps.pipelines.executor.builders import (
    OWNER,
    RUN,
    TASK,
    TASK_PATH,
    a_context,
    a_dataset,
    constant,
    inputs,
)
from tests.apps.pipelines.executor.test_packages import BODY, KFP, PIP, command
from windlass.apps.pipelines.executor.pod import EmbeddedStorage, pod, pod_name
from windlass.kube.names import dns_label_errors


def built(**fields: Any) -> Any:
    return pod(a_context(**fields), EmbeddedStorage(), owner=OWNER, pod_name="p1")


def main(**fields: Any) -> Any:
    (container,) = built(**fields)["spec"]["containers"]
    return container


def mounts(manifest: Any) -> dict[str, tuple[str, str]]:
    """Paths, with the source of the volume and the subPath."""
    volumes = {one["name"]: one for one in manifest["spec"]["volumes"]}
    found = {}
    for mount in manifest["spec"]["containers"][0]["volumeMounts"]:
        source = next(value for key, value in volumes[mount["name"]].items() if key != "name")
        found[mount["mountPath"]] = (
            source.get("claimName") or source.get("secretName") or source.get("name") or "",
            mount.get("subPath", ""),
        )
    return found


def test_a_pod_is_known_by_its_run_and_task() -> None:
    manifest = built()

    assert manifest["metadata"] == {
        "name": "p1",
        "namespace": "team",
        "labels": {
            "pipeline/runid": "run-1",
            "pipelines.windlass.dev/task-id": "task-1",
            "pipelines.kubeflow.org/v2_component": "true",
        },
        "annotations": {
            "pipelines.kubeflow.org/run_name": "My run",
            "pipelines.kubeflow.org/v2_component": "true",
        },
        "ownerReferences": [OWNER],
    }
    assert (manifest["apiVersion"], manifest["kind"]) == ("v1", "Pod")
    assert manifest["spec"]["restartPolicy"] == "Never"
    assert manifest["spec"]["serviceAccountName"] == "default-editor"


def test_the_main_container_runs_the_resolved_command() -> None:
    container = main(
        component=inputs(image="STRING", cpu="STRING"),
        parameters={"image": "python:3.12", "cpu": "500m"},
        container={
            "image": "{{$.inputs.parameters['image']}}",
            "command": ["echo", "{{$.pipeline_job_name}}"],
            "args": ["{{$.inputs.parameters['cpu']}}"],
            "resources": {"resourceCpuLimit": "{{$.inputs.parameters['cpu']}}"},
        },
    )

    assert (container["name"], container["image"]) == ("main", "python:3.12")
    assert container["command"] == ["echo", "My run"]
    assert container["args"] == ["500m"]
    assert container["resources"] == {"limits": {"cpu": "500m"}}
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["terminationMessagePolicy"] == "FallbackToLogsOnError"


def test_variables_come_in_their_order_and_later_ones_win() -> None:
    env = main(
        container={"env": [{"name": "A", "value": "1"}, {"name": "HTTP_PROXY", "value": "mine"}]},
        platform={"fieldPathAsEnv": [{"name": "A", "fieldPath": "metadata.name"}]},
        defaults={"HTTP_PROXY": "http://proxy"},
        retry_index=2,
    )["env"]

    assert [one["name"] for one in env] == [
        "http_proxy", "NO_PROXY", "no_proxy", "KFP_POD_NAME", "KFP_POD_UID", "KFP_RETRY_INDEX", "HTTP_PROXY", "A",
    ]  # fmt: skip
    by_name = {one["name"]: one.get("value") or one["valueFrom"] for one in env}
    assert by_name["HTTP_PROXY"] == "mine"
    assert by_name["KFP_RETRY_INDEX"] == "2"
    assert by_name["KFP_POD_NAME"] == {"fieldRef": {"fieldPath": "metadata.name"}}
    assert by_name["KFP_POD_UID"] == {"fieldRef": {"fieldPath": "metadata.uid"}}
    assert by_name["A"] == {"fieldRef": {"fieldPath": "metadata.name"}}


def test_artifacts_are_in_the_claim_of_the_namespace() -> None:
    manifest = built(artifacts={"in": [a_dataset(uri="az://b/k")]})

    assert mounts(manifest) == {
        "/minio": ("pipeline-artifacts", "minio"),
        "/s3": ("pipeline-artifacts", "s3"),
        "/gcs": ("pipeline-artifacts", "gcs"),
        "/az": ("pipeline-artifacts", "az"),
        TASK_PATH: ("pipeline-artifacts", TASK_PATH[1:]),
        "/tmp/kfp/outputs": ("pipeline-artifacts", ".parameters/task-1-0"),
        "/.local": ("", ""),
        "/.cache": ("", ""),
        "/.config": ("", ""),
    }


def test_an_input_that_cannot_be_a_file_of_the_container_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="input artifact web: https://x/y has no local path"):
        built(
            artifacts={"web": [a_dataset(uri="https://x/y")]},
            container={"args": ["{{$.inputs.artifacts['web'].path}}"]},
        )


def test_models_in_images_are_mounted_where_the_sdk_expects_them() -> None:
    first, second = "oci://quay.io/team/b:1", "oci://localhost:5000/team/a:2"
    models = [a_dataset(uri=first), a_dataset(uri=second), a_dataset(uri=first)]

    manifest = built(artifacts={"models": models}, container={"args": ["{{$.inputs.artifacts['models'].path}}"]})

    images = {one["name"]: one["image"]["reference"] for one in manifest["spec"]["volumes"] if "image" in one}
    assert images == {"oci-0": "localhost:5000/team/a:2", "oci-1": "quay.io/team/b:1"}
    (container,) = manifest["spec"]["containers"]
    shown = {
        one["mountPath"]: (one["name"], one["subPath"]) for one in container["volumeMounts"] if one["name"] in images
    }
    assert shown == {
        "/oci/localhost:5000_team_a:2/models": ("oci-0", "models"),
        "/oci/quay.io_team_b:1/models": ("oci-1", "models"),
    }
    assert container["args"] == ["/oci/quay.io_team_b:1/models"]


def test_an_input_elsewhere_is_enough_for_a_container_that_does_not_read_it() -> None:
    reference = "{{$.inputs.artifacts['web']"
    manifest = built(
        artifacts={"web": [a_dataset(uri="https://x/y", metadata={"resourceName": "models/1"})]},
        container={"args": [f"{reference}.uri}}}}", f"{reference}.metadata['resourceName']}}}}"]},
    )

    assert manifest["spec"]["containers"][0]["args"] == ["https://x/y", "models/1"]
    assert "/https" not in mounts(manifest)


def test_the_root_of_the_pipeline_is_mounted() -> None:
    assert mounts(built(pipeline_root="s3://b/x"))["/s3"] == ("pipeline-artifacts", "s3")
    assert mounts(built(pipeline_root="az://b/x"))["/az"] == ("pipeline-artifacts", "az")
    with pytest.raises(ValueError, match="local path"):
        built(pipeline_root="https://b/x")


@pytest.mark.parametrize(
    "fields",
    [
        {"component": inputs(x="STRING"), "parameters": {"x": "/kfp-workspace/data"}},
        {"container": {"args": ["{{$.workspace_path}}/x"]}},
        {"artifacts": {"in": [a_dataset(metadata={"_kfp_workspace": True})]}},
    ],
)
def test_the_workspace_is_mounted_in_tasks_that_mention_it(fields: dict[str, Any]) -> None:
    workspace = {"workspace": {"size": "1Gi"}}
    manifest = built(**fields, pipeline_config=workspace)

    assert mounts(manifest)["/kfp-workspace"] == ("train-and-predict-x7k2p-kfp-workspace", "")
    assert "/kfp-workspace" not in mounts(built(pipeline_config=workspace))


def test_a_workspace_that_the_pipeline_does_not_declare_is_refused() -> None:
    with pytest.raises(ValueError, match=r"pipelineConfig\.workspace"):
        built(container={"args": ["{{$.workspace_path}}"]})


def test_a_bundle_of_authorities_is_mounted() -> None:
    manifest = built(defaults={"CABUNDLE_SECRET_NAME": "s", "CABUNDLE_CONFIGMAP_NAME": "c", "CABUNDLE_KEY_NAME": "k"})

    assert mounts(manifest)["/kfp/certs"] == ("s", "")
    assert {"name": "custom-ca", "secret": {"secretName": "s", "items": [{"key": "k", "path": "ca.crt"}]}} in (
        manifest["spec"]["volumes"]
    )


def test_a_component_that_pauses_has_a_folder_for_the_files_it_waits_for() -> None:
    manifest = built(container={"env": [{"name": "ARGO_DEBUG_PAUSE_AFTER", "value": "true"}]})

    assert mounts(manifest)["/var/run/argo/ctr/main"] == ("", "")


def test_packages_of_a_lightweight_component_are_annotated() -> None:
    annotations = built(container={"command": command(f"{PIP}'six'  &&  {PIP}{KFP}")})["metadata"]["annotations"]

    assert annotations["images.windlass.dev/packages"].split("\n")[:3] == ["six", "--no-deps", "kfp==2.17.0"]
    assert "images.windlass.dev/packages" not in built(container={"command": BODY})["metadata"]["annotations"]


def test_labels_and_annotations_of_the_platform_spec_do_not_replace_those_of_the_run() -> None:
    given = {"labels": {"a": "b", "pipeline/runid": "other"}, "annotations": {"c": "d"}}
    metadata = built(platform={"podMetadata": given})["metadata"]

    assert metadata["labels"]["a"] == "b"
    assert metadata["labels"]["pipeline/runid"] == "run-1"
    assert metadata["annotations"]["c"] == "d"


def test_deadline_pull_policy_and_pull_secrets_are_set() -> None:
    spec = built(
        platform={
            "activeDeadlineSeconds": "30",
            "imagePullPolicy": "Always",
            "imagePullSecret": [
                {"secretName": "a"},
                {"secretNameParameter": constant("b")},
                {"secretNameParameter": constant(None)},
            ],
        },
        defaults={"DEFAULT_SECURITY_CONTEXT_HOST_USERS": "false"},
    )["spec"]

    assert spec["activeDeadlineSeconds"] == 30
    assert spec["containers"][0]["imagePullPolicy"] == "Always"
    assert spec["imagePullSecrets"] == [{"name": "a"}, {"name": "b"}]
    assert spec["hostUsers"] is False


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"container": {"image": ""}}, "container.image is empty"),
        ({"platform": {"imagePullPolicy": "Sometimes"}}, "imagePullPolicy: 'Sometimes'"),
        ({"platform": {"activeDeadlineSeconds": "soon"}}, "activeDeadlineSeconds is not an integer"),
        ({"platform": {"activeDeadlineSeconds": -1}}, "activeDeadlineSeconds must not be negative"),
        ({"platform": {"imagePullSecret": [{}]}}, r"imagePullSecret\[0\].secretName is required"),
        ({"platform": {"podMetadata": "x"}}, "podMetadata is not an object"),
        ({"container": {"resources": {"resourceMemoryLimit": "much"}}}, "resources.resourceMemoryLimit: 'much'"),
        ({"platform": {"emptyDirMounts": [{"volumeName": "v", "mountPath": "/minio"}]}}, "mountPath: another volume"),
        ({"component": inputs(x="STRING")}, "parameter x is required"),
        (
            {"artifacts": {"in": [a_dataset(uri="oci://a/b_c"), a_dataset(uri="oci://a_b/c")]}},
            "input artifact oci://a_b/c.mountPath: another volume",
        ),
    ],
)
def test_what_cannot_be_built_is_refused_by_field(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        built(**fields)


def test_the_name_of_a_pod_follows_from_run_task_and_attempt() -> None:
    name = pod_name(RUN, TASK)

    assert name.startswith("train-and-predict-x7k2p-train-")
    assert name == pod_name(RUN, TASK)
    others = [
        pod_name(RUN, replace(TASK, attempt=1)),
        pod_name(RUN, replace(TASK, path="root.for-loop-2.1.train")),
        pod_name(replace(RUN, run_id="run-2"), TASK),
    ]
    assert len({name, *others}) == 4


@given(st.text(), st.text())
def test_the_name_of_a_pod_is_a_label(resource_name: str, task_name: str) -> None:
    name = pod_name(replace(RUN, resource_name=resource_name), replace(TASK, name=task_name))

    assert dns_label_errors(name) == []
