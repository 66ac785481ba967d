from typing import Any

import pytest

from tests.support import Answer, Windlass
from windlass.apiserver.admission.limit_ranges import ANNOTATION, claim_problems, pod_problems


def a_range(*limits: Any) -> Any:
    return {"metadata": {"name": "r"}, "spec": {"limits": list(limits)}}


def a_pod(*containers: Any, init: Any = ()) -> Any:
    spec = {"containers": [{"name": f"c{i}", "image": "i", **c} for i, c in enumerate(containers)]}
    if init:
        spec["initContainers"] = [{"name": f"i{i}", "image": "i", **c} for i, c in enumerate(init)]
    return {"metadata": {"name": "p"}, "spec": spec}


def asking(requests: Any = None, limits: Any = None) -> Any:
    return {"resources": {"requests": requests or {}, "limits": limits or {}}}


def create(server: Windlass, room: str, plural: str, obj: Any) -> Answer:
    return server.request("POST", f"/api/v1/namespaces/{room}/{plural}", obj)


def test_containers_get_the_defaults_that_they_lack(bare: Windlass, room: str) -> None:
    limits = {"type": "Container", "default": {"cpu": "1", "memory": "1Gi"}, "defaultRequest": {"cpu": "500m"}}
    create(bare, room, "limitranges", a_range(limits))

    pod = create(bare, room, "pods", a_pod({}, asking({"cpu": "100m"}), init=[asking(limits={"memory": "2Gi"})])).json()

    first, second = (container["resources"] for container in pod["spec"]["containers"])
    assert first == {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
    assert second == {"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
    assert pod["spec"]["initContainers"][0]["resources"] == {
        "requests": {"cpu": "500m", "memory": "2Gi"},
        "limits": {"cpu": "1", "memory": "2Gi"},
    }
    assert pod["metadata"]["annotations"][ANNOTATION] == (
        "LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; "
        "memory request for container c1; cpu, memory limit for container c1; "
        "cpu request for init container i0; cpu limit for init container i0"
    )


def test_a_maximum_alone_is_the_default_too(bare: Windlass, room: str) -> None:
    create(bare, room, "limitranges", a_range({"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1"}}))

    pod = create(bare, room, "pods", a_pod({})).json()

    assert pod["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}


def test_what_a_range_forbids_is_refused_with_all_reasons(bare: Windlass, room: str) -> None:
    create(bare, room, "limitranges", a_range({"type": "Container", "max": {"cpu": "2"}, "min": {"memory": "1Gi"}}))

    answer = create(bare, room, "pods", a_pod(asking({"cpu": "3", "memory": "1Mi"}, {"cpu": "3"})))

    assert answer.status == 403
    assert answer.json()["message"] == (
        'pods "p" is forbidden: [minimum memory usage per Container is 1Gi, but request is 1Mi, '
        "maximum cpu usage per Container is 2, but limit is 3]"
    )


def test_a_claim_that_grows_out_of_its_range_is_refused(bare: Windlass, room: str) -> None:
    create(bare, room, "limitranges", a_range({"type": "PersistentVolumeClaim", "max": {"storage": "2Gi"}}))
    storage_class = {"metadata": {"name": f"r-{room}"}, "provisioner": "none", "allowVolumeExpansion": True}
    bare.create("/apis/storage.k8s.io/v1/storageclasses", storage_class)

    def claim(size: str) -> Any:
        spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": f"r-{room}"}
        return {"metadata": {"name": "c"}, "spec": {**spec, "resources": {"requests": {"storage": size}}}}

    refused = "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"
    assert refused in create(bare, room, "persistentvolumeclaims", claim("3Gi")).json()["message"]
    assert create(bare, room, "persistentvolumeclaims", claim("1Gi")).status == 201
    path = f"/api/v1/namespaces/{room}/persistentvolumeclaims/c"
    bare.patch(f"{path}/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}})
    answer = bare.patch(path, {"spec": {"resources": {"requests": {"storage": "3Gi"}}}})
    assert (answer.status, refused in answer.json()["message"]) == (403, True)


@pytest.mark.parametrize(
    ("item", "pod", "problems"),
    [
        ({"type": "Container", "min": {"cpu": "1"}}, a_pod({}),
         ["minimum cpu usage per Container is 1.  No request is specified"]),
        ({"type": "Container", "min": {"cpu": "1"}}, a_pod(asking({"cpu": "1"}, {"cpu": "500m"})),
         ["minimum cpu usage per Container is 1, but limit is 500m"]),
        ({"type": "Container", "max": {"cpu": "1"}}, a_pod({}),
         ["maximum cpu usage per Container is 1.  No limit is specified"]),
        ({"type": "Container", "max": {"cpu": "1"}}, a_pod(asking({"cpu": "2"}, {"cpu": "1"})),
         ["maximum cpu usage per Container is 1, but request is 2"]),
        ({"type": "Pod", "max": {"cpu": "1"}}, a_pod(asking(limits={"cpu": "600m"}), asking(limits={"cpu": "600m"})),
         ["maximum cpu usage per Pod is 1, but limit is 1200m"]),
        ({"type": "Pod", "max": {"cpu": "1"}}, a_pod(asking(limits={"cpu": "1"}), init=[asking(limits={"cpu": "1"})]),
         []),
        ({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}, a_pod(asking({"cpu": "1"}, {"cpu": "3"})),
         ["cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000"]),
        ({"type": "Container", "maxLimitRequestRatio": {"cpu": "1.5"}}, a_pod(asking({"cpu": "2"}, {"cpu": "3"})), []),
        ({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}, a_pod(asking(limits={"cpu": "3"})),
         ["cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"]),
        ({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}, a_pod(asking({"cpu": "3"})),
         ["cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"]),
    ],
)  # fmt: skip
def test_pods_break_ranges_in_kubernetes_words(item: Any, pod: Any, problems: list[str]) -> None:
    assert list(pod_problems(a_range(item), pod)) == problems


@pytest.mark.parametrize(
    ("bound", "problems"),
    [
        ({"min": {"storage": "2Gi"}},
         ["minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi"]),
        ({"max": {"storage": "1Gi"}}, []),
        ({"max": {"other": "1Gi"}}, ["maximum other usage per PersistentVolumeClaim is 1Gi.  No request is specified"]),
    ],
)  # fmt: skip
def test_claims_break_ranges_in_kubernetes_words(bound: Any, problems: list[str]) -> None:
    claim = {"spec": {"resources": {"requests": {"storage": "1Gi"}}}}

    assert list(claim_problems(a_range({"type": "PersistentVolumeClaim", **bound}), claim)) == problems
