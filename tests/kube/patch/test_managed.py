"""Who owns which field after creates and updates."""

import copy
from typing import Any

from tests.kube.words_builders import a_deployment, a_pod, apps, core, crd
from windlass.kube.patch.fieldset import members, path_text
from windlass.kube.patch.managed import record_update
from windlass.kube.schema import Schema

T1, T2, T3 = "2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:03Z"


def created(obj: dict[str, Any], schema: Schema, manager: str = "maker", time: str = T1) -> dict[str, Any]:
    record_update(None, obj, schema, manager=manager, api_version=obj["apiVersion"], time=time)
    return obj


def updated(old: dict[str, Any], schema: Schema, manager: str, time: str = T2, **rest: Any) -> Any:
    """A change to a copy of `old`: call the result with a function that makes it."""

    def change(make: Any) -> dict[str, Any]:
        new = copy.deepcopy(old)
        make(new)
        record_update(old, new, schema, manager=manager, api_version=new["apiVersion"], time=time, **rest)
        return new

    return change


def entries(obj: dict[str, Any]) -> dict[str, list[str]]:
    """The paths that each manager owns."""
    return {
        entry["manager"]: [path_text(path) for path in members(entry["fieldsV1"])]
        for entry in obj["metadata"].get("managedFields", [])
    }


def test_a_create_owns_every_field_as_kubernetes_records_it() -> None:
    container = {
        "name": "main",
        "image": "python",
        "args": ["-c", "1"],
        "ports": [{"containerPort": 80}],
        "resources": {},
        "env": [{"name": "A", "value": "1"}],
    }
    deployment = a_deployment(
        replicas=1,
        selector={"matchLabels": {"a": "b"}},
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        template={"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container], "restartPolicy": "Always"}},
    )
    deployment["metadata"] |= {"labels": {"x": "y"}, "uid": "u", "resourceVersion": "1", "generation": 1}
    deployment["status"] = {"replicas": 1}

    created(deployment, apps("Deployment"))

    assert deployment["metadata"]["managedFields"] == [
        {
            "manager": "maker",
            "operation": "Update",
            "apiVersion": "apps/v1",
            "time": T1,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:labels": {".": {}, "f:x": {}}},
                "f:spec": {
                    "f:replicas": {},
                    "f:selector": {},
                    "f:strategy": {"f:type": {}, "f:rollingUpdate": {".": {}, "f:maxSurge": {}}},
                    "f:template": {
                        "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
                        "f:spec": {
                            "f:restartPolicy": {},
                            "f:containers": {
                                'k:{"name":"main"}': {
                                    ".": {},
                                    "f:name": {},
                                    "f:image": {},
                                    "f:args": {},
                                    "f:resources": {},
                                    "f:ports": {
                                        ".": {},
                                        'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}},
                                    },
                                    "f:env": {
                                        ".": {},
                                        'k:{"name":"A"}': {".": {}, "f:name": {}, "f:value": {}},
                                    },
                                }
                            },
                        },
                    },
                },
            },
        }
    ]


def test_sets_and_owner_references_are_owned_element_by_element() -> None:
    pod = a_pod()
    pod["metadata"] |= {
        "finalizers": ["x.io/a"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}],
        "generateName": "a-",
    }

    created(pod, core("Pod"))

    assert pod["metadata"]["managedFields"][0]["fieldsV1"]["f:metadata"] == {
        "f:finalizers": {".": {}, 'v:"x.io/a"': {}},
        "f:ownerReferences": {".": {}, 'k:{"uid":"u"}': {}},
        "f:generateName": {},
    }


def test_a_custom_kinds_spec_is_owned_itself_and_unknown_depths_field_by_field() -> None:
    kind = crd(
        open={"type": "object", "x-kubernetes-preserve-unknown-fields": True}, list={"type": "array", "items": {}}
    )
    obj = {
        "apiVersion": "a/v1",
        "kind": "A",
        "metadata": {"name": "a"},
        "spec": {"open": {"x": {"y": [1]}}, "list": [{"z": 1}]},
    }

    created(obj, kind)

    assert obj["metadata"]["managedFields"][0]["fieldsV1"] == {
        "f:spec": {".": {}, "f:open": {".": {}, "f:x": {".": {}, "f:y": {}}}, "f:list": {}}
    }


def test_who_changes_a_field_takes_it_from_the_others() -> None:
    pod = a_pod({"name": "main", "image": "1"})
    pod["metadata"]["labels"] = {"a": "1", "b": "1"}
    created(pod, core("Pod"), "one")

    changed = updated(pod, core("Pod"), "two")(lambda new: new["metadata"]["labels"].update(b="2", c="3"))

    assert entries(changed) == {
        "one": [
            ".metadata.labels",
            ".metadata.labels.a",
            '.spec.containers[name="main"]',
            '.spec.containers[name="main"].image',
            '.spec.containers[name="main"].name',
        ],
        "two": [".metadata.labels.b", ".metadata.labels.c"],
    }
    times = {entry["manager"]: entry["time"] for entry in changed["metadata"]["managedFields"]}
    assert times == {"one": T1, "two": T2}


def test_a_removed_field_is_nobodys_and_a_manager_without_fields_is_gone() -> None:
    pod = created(a_pod(), core("Pod"), "one")
    labelled = updated(pod, core("Pod"), "two")(lambda new: new["metadata"].update(labels={"a": "1"}))
    assert set(entries(labelled)) == {"one", "two"}

    bare = updated(labelled, core("Pod"), "three", T3)(lambda new: new["metadata"].pop("labels"))

    assert bare["metadata"]["managedFields"] == pod["metadata"]["managedFields"]


def test_an_update_that_changes_nothing_changes_no_entry() -> None:
    pod = created(a_pod(), core("Pod"))

    same = updated(pod, core("Pod"), "two")(lambda new: new["metadata"].update(resourceVersion="7", generation=3))

    assert same["metadata"]["managedFields"] == pod["metadata"]["managedFields"]


def test_changing_ones_own_field_again_keeps_one_entry_with_a_new_time() -> None:
    pod = created(a_pod(hostname="a"), core("Pod"))

    again = updated(pod, core("Pod"), "maker")(lambda new: new["spec"].update(hostname="b"))

    assert entries(again) == entries(pod)
    assert [entry["time"] for entry in again["metadata"]["managedFields"]] == [T2]


def test_the_status_belongs_to_who_writes_the_status_endpoint() -> None:
    pod = created(a_pod(), core("Pod"))

    def report(new: dict[str, Any]) -> None:
        new["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}

    running = updated(pod, core("Pod"), "kubelet", subresource="status")(report)
    through_main = updated(pod, core("Pod"), "kubelet")(report)

    entry = running["metadata"]["managedFields"][1]
    assert (entry["manager"], entry["subresource"]) == ("kubelet", "status")
    assert entry["fieldsV1"] == {
        "f:status": {
            "f:phase": {},
            "f:conditions": {".": {}, 'k:{"type":"Ready"}': {".": {}, "f:type": {}, "f:status": {}}},
        }
    }
    assert set(entries(through_main)) == {"maker"}


def test_one_manager_has_an_entry_per_version_and_subresource() -> None:
    deployment = created(a_deployment(replicas=1, paused=True), apps("Deployment"), "m")

    scaled = updated(deployment, apps("Deployment"), "m", subresource="scale")(
        lambda new: new["spec"].update(replicas=2)
    )

    assert [entry.get("subresource") for entry in scaled["metadata"]["managedFields"]] == [None, "scale"]


def test_a_client_that_knows_no_managed_fields_does_not_erase_them() -> None:
    pod = created(a_pod(), core("Pod"))

    for sent in (None, []):
        kept = updated(pod, core("Pod"), "two")(lambda new, sent=sent: new["metadata"].update(managedFields=sent))
        assert kept["metadata"]["managedFields"] == pod["metadata"]["managedFields"]


def test_a_list_of_one_empty_entry_forgets_all_managers() -> None:
    pod = created(a_pod(), core("Pod"))

    reset = updated(pod, core("Pod"), "two")(lambda new: new["metadata"].update(managedFields=[{}]))

    assert "managedFields" not in reset["metadata"]


def test_a_client_may_move_fields_between_managers_itself() -> None:
    pod = created(a_pod(), core("Pod"), "kubectl-client-side-apply")

    def migrate(new: dict[str, Any]) -> None:
        new["metadata"]["managedFields"][0] |= {"manager": "kubectl", "operation": "Apply"}

    moved = updated(pod, core("Pod"), "kubectl-patch")(migrate)

    assert [(entry["manager"], entry["operation"]) for entry in moved["metadata"]["managedFields"]] == [
        ("kubectl", "Apply")
    ]


def test_managed_fields_that_are_none_are_not_believed() -> None:
    pod = created(a_pod(), core("Pod"))
    bad = [{"manager": "x", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"spec": 1}}]

    kept = updated(pod, core("Pod"), "two")(lambda new: new["metadata"].update(managedFields=bad))

    assert kept["metadata"]["managedFields"] == pod["metadata"]["managedFields"]


def test_an_object_whose_managers_are_not_tracked_stays_untracked() -> None:
    pod = a_pod()

    changed = updated(pod, core("Pod"), "two")(lambda new: new["spec"].update(hostname="h"))

    assert "managedFields" not in changed["metadata"]


def test_more_than_ten_updaters_fold_the_oldest_into_one() -> None:
    pod = created(a_pod(), core("Pod"), "m00", "2026-01-01T00:00:00Z")
    for number in range(1, 15):
        label = {f"l{number:02}": "x"}
        change = updated(pod, core("Pod"), f"m{number:02}", f"2026-01-01T00:00:{number:02}Z")
        pod = change(lambda new, label=label: new["metadata"].setdefault("labels", {}).update(label))

    owned = entries(pod)

    assert len(owned) == 10
    assert ".metadata.labels.l01" in owned["ancient-changes"]
    assert owned["m14"] == [".metadata.labels.l14"]


def test_entries_are_sorted_by_operation_time_and_manager() -> None:
    pod = created(a_pod(), core("Pod"), "z", T2)
    pod = updated(pod, core("Pod"), "b", T1)(lambda new: new["spec"].update(hostname="h"))
    pod = updated(pod, core("Pod"), "a", T2)(lambda new: new["spec"].update(subdomain="s"))

    assert [entry["manager"] for entry in pod["metadata"]["managedFields"]] == ["b", "a", "z"]


def test_elements_without_their_keys_are_owned_as_one_list() -> None:
    pod = created(a_pod({"image": "x"}), core("Pod"))

    assert entries(pod) == {"maker": [".spec.containers"]}
    changed = updated(pod, core("Pod"), "two")(lambda new: new["spec"].update(containers=[{"image": "y"}]))
    assert entries(changed) == {"two": [".spec.containers"]}
