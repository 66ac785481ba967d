"""Volumes of the platform spec, each mounted where it says."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.pipelines.executor.builders import a_context, constant
from windlass.apps.pipelines.executor.context import Json
from windlass.apps.pipelines.executor.platform.volumes import Volumes, task_volumes, volume_name
from windlass.kube.names import dns_label_errors


def of(**platform: Any) -> Volumes:
    return task_volumes(a_context(platform=platform))


@pytest.mark.parametrize(
    ("platform", "volume", "mount"),
    [
        (
            {"secretAsVolume": [{"secretName": "s", "mountPath": "/s"}]},
            {"name": "s", "secret": {"secretName": "s"}},
            {"name": "s", "mountPath": "/s"},
        ),
        (
            {"secretAsVolume": [{"secretNameParameter": constant("t"), "mountPath": "/s/", "optional": True}]},
            {"name": "t", "secret": {"secretName": "t", "optional": True}},
            {"name": "t", "mountPath": "/s"},
        ),
        (
            {"configMapAsVolume": [{"configMapName": "c", "mountPath": "/c", "optional": False}]},
            {"name": "c", "configMap": {"name": "c"}},
            {"name": "c", "mountPath": "/c"},
        ),
        (
            {"configMapAsVolume": [{"configMapNameParameter": constant("d"), "mountPath": "/c"}]},
            {"name": "d", "configMap": {"name": "d"}},
            {"name": "d", "mountPath": "/c"},
        ),
        (
            {"pvcMount": [{"pvcNameParameter": constant("p"), "mountPath": "/data", "subPath": "x"}]},
            {"name": "p", "persistentVolumeClaim": {"claimName": "p"}},
            {"name": "p", "mountPath": "/data", "subPath": "x"},
        ),
        (
            {"pvcMount": [{"constant": "p", "mountPath": "/data"}]},
            {"name": "p", "persistentVolumeClaim": {"claimName": "p"}},
            {"name": "p", "mountPath": "/data"},
        ),
        (
            {"emptyDirMounts": [{"volumeName": "e", "mountPath": "/e", "medium": "Memory", "sizeLimit": "1Gi"}]},
            {"name": "e", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
            {"name": "e", "mountPath": "/e"},
        ),
        (
            {"emptyDirMounts": [{"volumeName": "e", "mountPath": "/e"}]},
            {"name": "e", "emptyDir": {}},
            {"name": "e", "mountPath": "/e"},
        ),
        (
            {"enabledSharedMemory": {"volumeName": "m", "size": "64Mi"}},
            {"name": "m", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}},
            {"name": "m", "mountPath": "/dev/shm"},
        ),
        (
            {"enabledSharedMemory": {}},
            {"name": "shm", "emptyDir": {"medium": "Memory"}},
            {"name": "shm", "mountPath": "/dev/shm"},
        ),
        (
            {
                "genericEphemeralVolume": [
                    {
                        "volumeName": "g",
                        "mountPath": "/g",
                        "accessModes": ["ReadWriteOncePod"],
                        "size": "2Gi",
                        "storageClassName": "fast",
                        "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
                    }
                ]
            },
            {
                "name": "g",
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
                        "spec": {
                            "accessModes": ["ReadWriteOncePod"],
                            "resources": {"requests": {"storage": "2Gi"}},
                            "storageClassName": "fast",
                        },
                    }
                },
            },
            {"name": "g", "mountPath": "/g"},
        ),
        (
            {
                "genericEphemeralVolume": [
                    {
                        "volumeName": "g",
                        "mountPath": "/g",
                        "size": "2Gi",
                        "defaultStorageClass": True,
                        "storageClassName": "ignored",
                    }
                ]
            },
            {
                "name": "g",
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}
                    }
                },
            },
            {"name": "g", "mountPath": "/g"},
        ),
    ],
)
def test_a_volume_is_mounted(platform: Json, volume: Json, mount: Json) -> None:
    found = of(**platform)

    assert found.volumes == [volume]
    assert found.mounts == [mount]


def test_old_references_to_claims_are_resolved_like_new_ones() -> None:
    def resolve(spec: Json) -> Any:
        return "made" if "taskOutputParameter" in spec else spec["componentInputParameter"]

    platform = {
        "pvcMount": [
            {"taskOutputParameter": {"producerTask": "c", "outputParameterKey": "name"}, "mountPath": "/a"},
            {"componentInputParameter": "given", "mountPath": "/b"},
        ]
    }
    found = task_volumes(a_context(platform=platform, resolve=resolve))

    assert [one["persistentVolumeClaim"]["claimName"] for one in found.volumes] == ["made", "given"]


def test_an_optional_name_that_is_missing_skips_its_volume() -> None:
    missing = constant(None)
    found = of(
        secretAsVolume=[{"secretNameParameter": missing, "mountPath": "/a"}],
        configMapAsVolume=[{"configMapNameParameter": missing, "mountPath": "/b"}],
        pvcMount=[{"pvcNameParameter": missing, "mountPath": "/c"}],
    )

    assert found == Volumes()


def test_mounts_of_one_object_share_a_volume_and_equal_names_do_not_clash() -> None:
    found = of(
        secretAsVolume=[{"secretName": "x", "mountPath": "/1"}, {"secretName": "x", "mountPath": "/2"}],
        configMapAsVolume=[{"configMapName": "x", "mountPath": "/3"}],
        pvcMount=[{"constant": "x", "mountPath": "/4"}, {"constant": "team.data", "mountPath": "/5"}],
    )

    assert [one["name"] for one in found.mounts[:4]] == ["x", "x", "x-2", "x-3"]
    assert len(found.volumes) == 4
    assert all(dns_label_errors(one["name"]) == [] for one in found.volumes)


@pytest.mark.parametrize(
    ("platform", "reason"),
    [
        ({"secretAsVolume": [{"mountPath": "/a"}]}, r"secretAsVolume\[0\].secretName is required"),
        ({"secretAsVolume": [{"secretName": "s"}]}, r"secretAsVolume\[0\].mountPath is required"),
        ({"secretAsVolume": [{"secretName": "s", "mountPath": "a"}]}, "mountPath must be an absolute path"),
        ({"secretAsVolume": "x"}, "secretAsVolume is not a list"),
        ({"secretAsVolume": ["x"]}, r"secretAsVolume\[0\] is not an object"),
        (
            {"secretAsVolume": [{"secretNameParameter": constant(3), "mountPath": "/a"}]},
            "secretNameParameter is not a name",
        ),
        ({"pvcMount": [{"mountPath": "/a"}]}, r"pvcMount\[0\].pvcNameParameter is required"),
        ({"pvcMount": [{"constant": "a", "mountPath": "/kfp-workspace"}]}, "is reserved for the workspace"),
        ({"pvcMount": [{"constant": "a", "mountPath": "/x/../kfp-workspace/y"}]}, "is reserved for the workspace"),
        ({"pvcMount": [{"constant": "a", "mountPath": "/x"}, {"constant": "b", "mountPath": "/x/"}]}, "another volume"),
        ({"emptyDirMounts": [{"mountPath": "/a"}]}, r"emptyDirMounts\[0\].volumeName is required"),
        ({"emptyDirMounts": [{"volumeName": "v", "mountPath": "/a", "sizeLimit": "x"}]}, "sizeLimit: 'x'"),
        ({"genericEphemeralVolume": [{"volumeName": "v", "mountPath": "/a"}]}, "size is required"),
        (
            {"genericEphemeralVolume": [{"volumeName": "v", "mountPath": "/a", "size": "1", "accessModes": "x"}]},
            "accessModes is not a list",
        ),
        ({"enabledSharedMemory": {"size": "x"}}, "enabledSharedMemory.size: 'x'"),
    ],
)
def test_a_wrong_volume_is_refused_by_field(platform: Json, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        of(**platform)


def test_a_path_that_only_begins_like_the_workspace_is_allowed() -> None:
    assert of(pvcMount=[{"constant": "a", "mountPath": "/kfp-workspace2"}]).mounts[0]["mountPath"] == "/kfp-workspace2"


def test_an_error_of_a_reference_names_its_field() -> None:
    def resolve(spec: Json) -> Any:
        raise ValueError("no such input")

    platform = {"pvcMount": [{"pvcNameParameter": {"componentInputParameter": "x"}, "mountPath": "/a"}]}
    with pytest.raises(ValueError, match=r"pvcMount\[0\].pvcNameParameter: no such input"):
        task_volumes(a_context(platform=platform, resolve=resolve))


@given(st.text(min_size=1))
def test_any_name_gives_the_name_of_a_volume(name: str) -> None:
    assert dns_label_errors(volume_name(name)) == []
