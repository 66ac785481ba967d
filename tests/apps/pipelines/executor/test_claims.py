"""Claims are made as CreatePVC and the workspace ask for them."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.apps.pipelines.executor.builders import OWNER, RUN, TASK
from windlass.apps.pipelines.executor.claims import claim, workspace_claim

BASE = {"access_modes": ["ReadWriteOnce"], "size": "1Gi"}


def made(**parameters: Any) -> Any:
    return claim({**BASE, **parameters}, run=RUN, task=TASK)


def test_a_claim_has_its_size_modes_and_the_standard_class() -> None:
    manifest = made()

    assert manifest["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "standard",
        "resources": {"requests": {"storage": "1Gi"}},
    }
    assert manifest["metadata"]["namespace"] == "team"
    assert manifest["metadata"]["labels"] == {"pipeline/runid": "run-1", "pipelines.windlass.dev/task-id": "task-1"}
    assert len(manifest["metadata"]["name"]) == 36


def test_the_name_is_given_or_made_of_the_task() -> None:
    assert made(pvc_name="data")["metadata"]["name"] == "data"
    suffixed = made(pvc_name_suffix="-data")["metadata"]["name"]
    assert suffixed == made()["metadata"]["name"] + "-data"
    assert suffixed == made(pvc_name_suffix="-data")["metadata"]["name"]
    other = claim(BASE, run=RUN, task=replace(TASK, task_id="task-2"))
    assert other["metadata"]["name"] != made()["metadata"]["name"]


def test_every_other_input_has_its_field() -> None:
    manifest = made(
        storage_class_name="",
        volume_name="pv1",
        annotations={"a": "b", "n": 1.0},
        data_source={"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"},
        pvc_name=None,
    )

    assert manifest["spec"]["storageClassName"] == ""
    assert manifest["spec"]["volumeName"] == "pv1"
    assert manifest["spec"]["dataSource"] == {
        "apiGroup": "snapshot.storage.k8s.io",
        "kind": "VolumeSnapshot",
        "name": "s",
    }
    assert manifest["metadata"]["annotations"] == {"a": "b", "n": "1"}


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"access_modes": None}, "access_modes is required"),
        ({"access_modes": []}, "access_modes is required"),
        ({"access_modes": ["Often"]}, "access_modes: 'Often' is none of"),
        ({"size": None}, "size is required"),
        ({"size": "big"}, "size: 'big' is not a quantity"),
        ({"size": "-1Gi"}, "size: '-1Gi' is not a quantity"),
        ({"pvc_name": "Not A Name"}, "pvc_name: 'Not A Name'"),
        ({"pvc_name_suffix": "_x"}, "pvc_name_suffix: "),
        ({"pvc_name": "a", "pvc_name_suffix": "b"}, "must not both"),
        ({"pvc_name": 1}, "pvc_name is not a string"),
        ({"data_source": {"name": "x"}}, "data_source.kind is required"),
        ({"data_source": "x"}, "data_source is not an object"),
        ({"annotations": ["a"]}, "annotations is not an object"),
        ({"colour": "red"}, "colour is not an input"),
    ],
)
def test_a_wrong_input_is_refused_by_name(parameters: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        made(**parameters)


def test_the_workspace_is_a_claim_of_the_run() -> None:
    patch = {"accessModes": ["ReadWriteMany"], "storageClassName": "fast"}
    config = {"workspace": {"size": "5Gi", "kubernetes": {"pvcSpecPatch": patch}}}

    manifest = workspace_claim(config, run=RUN, owner=OWNER)

    assert manifest is not None
    assert manifest["metadata"]["name"] == "train-and-predict-x7k2p-kfp-workspace"
    assert manifest["metadata"]["ownerReferences"] == [OWNER]
    assert manifest["spec"] == {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "fast",
        "resources": {"requests": {"storage": "5Gi"}},
    }
    assert workspace_claim({}, run=RUN) is None


@pytest.mark.parametrize(
    ("workspace", "reason"),
    [
        ({"kubernetes": {"pvcSpecPatch": {"accessModes": ["ReadWriteOnce"]}}}, "workspace.size is required"),
        ({"size": "1Gi"}, "accessModes is required"),
        ({"size": "1Gi", "kubernetes": {"pvcSpecPatch": {"volumeMode": "Block"}}}, "pvcSpecPatch.volumeMode is not"),
        ("x", "workspace is not an object"),
    ],
)
def test_a_wrong_workspace_is_refused_by_field(workspace: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        workspace_claim({"workspace": workspace}, run=RUN)
