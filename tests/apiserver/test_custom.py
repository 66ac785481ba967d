"""CustomResourceDefinitions at a real server: served, changed, in conflict, restarted and deleted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import Windlass, eventually, running

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("custom")) as windlass:
        yield windlass


def a_version(name: str = "v1", *, storage: bool = True, served: bool = True, **properties: Any) -> Any:
    spec = {"type": "object", "properties": properties or {"size": {"type": "integer"}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return {"name": name, "served": served, "storage": storage, "schema": schema}


def a_crd(group: str, *versions: Any, plural: str = "things", kind: str = "Thing", **names: Any) -> Any:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, **names},
            "versions": list(versions) or [a_version()],
        },
    }


def things(group: str, version: str = "v1", name: str = "", plural: str = "things") -> str:
    return f"/apis/{group}/{version}/namespaces/default/{plural}" + (f"/{name}" if name else "")


def a_thing(group: str, name: str = "t", version: str = "v1", kind: str = "Thing", **spec: Any) -> Any:
    return {"apiVersion": f"{group}/{version}", "kind": kind, "metadata": {"name": name}, "spec": spec}


def conditions(server: Windlass, name: str) -> dict[str, tuple[str, str, str]]:
    """Status, reason and message of each condition of a definition."""
    found = server.get(f"{CRDS}/{name}").get("status", {}).get("conditions", [])
    return {c["type"]: (c["status"], c["reason"], c["message"]) for c in found}


def established(server: Windlass, name: str) -> Any:
    return eventually(lambda: conditions(server, name).get("Established", ("",))[0] == "True", what=name)


def test_a_definition_is_established_and_served_at_once(server: Windlass) -> None:
    group = "served.example.com"
    server.create(CRDS, a_crd(group, shortNames=["th"], singular="thing"))

    assert server.create(things(group), a_thing(group, size=1))["metadata"]["generation"] == 1
    established(server, f"things.{group}")
    assert conditions(server, f"things.{group}") == {
        "NamesAccepted": ("True", "NoConflicts", "no conflicts found"),
        "Established": ("True", "InitialNamesAccepted", "the initial names have been accepted"),
    }
    crd = server.get(f"{CRDS}/things.{group}")
    assert crd["status"]["storedVersions"] == ["v1"]
    assert crd["status"]["acceptedNames"] == {
        "plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList", "shortNames": ["th"],
    }  # fmt: skip
    (resource,) = server.get(f"/apis/{group}/v1")["resources"]
    assert (resource["name"], resource["shortNames"]) == ("things", ["th"])


def test_names_that_another_has_are_waited_for(server: Windlass) -> None:
    group = "conflict.example.com"
    server.create(CRDS, a_crd(group))
    established(server, f"things.{group}")

    server.create(CRDS, a_crd(group, plural="others"))
    eventually(lambda: "NamesAccepted" in conditions(server, f"others.{group}"))
    assert conditions(server, f"others.{group}") == {
        "NamesAccepted": ("False", "ListKindConflict", '"ThingList" is already in use'),
        "Established": ("False", "NotAccepted", "not all names are accepted"),
    }
    assert server.request("GET", things(group, plural="others")).status == 404

    server.patch(f"{CRDS}/things.{group}", {"metadata": {"finalizers": None}})
    server.request("DELETE", f"{CRDS}/things.{group}")
    server.patch(f"{CRDS}/things.{group}", {"metadata": {"finalizers": None}})
    established(server, f"others.{group}")
    assert server.get(things(group, plural="others"))["items"] == []


def test_only_served_versions_are_there(server: Windlass) -> None:
    group = "unserved.example.com"
    crd = server.create(CRDS, a_crd(group, a_version("v1"), a_version("v2", storage=False, served=False)))
    established(server, f"things.{group}")
    server.create(things(group), a_thing(group, size=1))
    assert server.request("GET", things(group, "v2", "t")).status == 404

    versions = crd["spec"]["versions"]
    versions[0]["served"], versions[1]["served"] = False, True
    assert server.patch(f"{CRDS}/things.{group}", {"spec": {"versions": versions}}).status == 200

    assert server.request("GET", things(group, "v1", "t")).status == 404
    assert server.get(things(group, "v2", "t"))["apiVersion"] == f"{group}/v2"
    groups = {found["name"]: found for found in server.get("/apis")["groups"]}
    assert [version["version"] for version in groups[group]["versions"]] == ["v2"]


def test_two_versions_without_conversion_differ_in_their_name_alone(server: Windlass) -> None:
    group = "versions.example.com"
    server.create(CRDS, a_crd(group, a_version("v1", storage=False), a_version("v2")))
    established(server, f"things.{group}")

    made = server.create(things(group, "v1"), a_thing(group, size=1))
    other = server.get(things(group, "v2", "t"))
    assert (made["apiVersion"], other["apiVersion"]) == (f"{group}/v1", f"{group}/v2")
    assert other["spec"] == made["spec"]
    changed = server.patch(things(group, "v1", "t"), {"spec": {"size": 2}}).json()
    assert server.get(things(group, "v2"))["items"][0]["spec"] == {"size": 2}
    assert server.get(things(group, "v1"))["items"] == [changed]
    assert server.request("DELETE", things(group, "v1", "t")).status == 200
    assert server.get(things(group, "v2"))["items"] == []


def test_a_new_schema_holds_for_the_next_write(server: Windlass) -> None:
    group = "schema.example.com"
    server.create(CRDS, a_crd(group))
    server.create(things(group), a_thing(group, size=1))
    established(server, f"things.{group}")

    narrower = a_version(size={"type": "integer", "maximum": 5}, color={"type": "string", "default": "red"})
    assert server.patch(f"{CRDS}/things.{group}", {"spec": {"versions": [narrower]}}).status == 200

    refused = server.request("POST", things(group), a_thing(group, "big", size=6))
    assert (refused.status, "should be less than or equal to 5" in refused.json()["message"]) == (422, True)
    assert server.create(things(group), a_thing(group, "small", size=5))["spec"] == {"size": 5, "color": "red"}


def test_the_storage_version_may_move_and_the_old_one_is_remembered(server: Windlass) -> None:
    group = "moving.example.com"
    crd = server.create(CRDS, a_crd(group, a_version("v1"), a_version("v2", storage=False)))
    established(server, f"things.{group}")
    server.create(things(group), a_thing(group, "old", size=1))

    versions = crd["spec"]["versions"]
    versions[0]["storage"], versions[1]["storage"] = False, True
    assert server.patch(f"{CRDS}/things.{group}", {"spec": {"versions": versions}}).status == 200
    server.create(things(group), a_thing(group, "new", size=2))

    for version in ("v1", "v2"):
        items = server.get(things(group, version))["items"]
        assert [(item["apiVersion"], item["spec"]["size"]) for item in items] == [
            (f"{group}/{version}", 2),
            (f"{group}/{version}", 1),
        ]
    stored = eventually(lambda: len(server.get(f"{CRDS}/things.{group}")["status"]["storedVersions"]) == 2)
    assert stored


def test_definitions_are_served_again_after_a_restart(tmp_path: Path) -> None:
    group = "restart.example.com"
    with running(tmp_path) as server:
        server.create(CRDS, a_crd(group))
        server.create(things(group), a_thing(group, size=1))
        established(server, f"things.{group}")
        before = server.get(f"{CRDS}/things.{group}")
        server.stop()
        server.start()

        assert server.get(things(group, name="t"))["spec"] == {"size": 1}
        assert server.get(f"{CRDS}/things.{group}") == before
        server.patch(things(group, name="t"), {"spec": {"size": 2}})
        assert server.request("POST", things(group), a_thing(group, "u", size="no")).status == 422


def test_a_definition_goes_with_its_objects(tmp_path: Path) -> None:
    group = "gone.example.com"
    with running(tmp_path, manager=True) as server:
        server.create(CRDS, a_crd(group))
        established(server, f"things.{group}")
        for number in range(3):
            server.create(things(group), a_thing(group, f"t{number}", size=number))
        server.patch(things(group, name="t0"), {"metadata": {"finalizers": ["example.com/hold"]}})

        server.request("DELETE", f"{CRDS}/things.{group}")
        eventually(lambda: len(server.get(things(group))["items"]) == 1, what="the others are deleted")
        assert conditions(server, f"things.{group}")["Terminating"][0] == "True"
        assert server.request("POST", things(group), a_thing(group, "late", size=1)).status == 405

        server.patch(things(group, name="t0"), {"metadata": {"finalizers": None}})
        eventually(lambda: server.request("GET", f"{CRDS}/things.{group}").status == 404, what="it is gone")
        assert server.request("GET", things(group)).status == 404

        server.create(CRDS, a_crd(group))
        assert server.get(things(group))["items"] == []


@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_a_null_in_metadata_is_decoded_as_kubernetes_does(server: Windlass, field: str) -> None:
    """Metadata of custom resources is read into ObjectMeta, where null in a map of strings is the empty string."""
    group, given = f"{field}.nulls.example.com", {"a": None, "b": "c"}
    embedded = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    }
    server.create(CRDS, a_crd(group, a_version(inner=embedded)))
    inner = {"apiVersion": "v1", "kind": "Inner", "metadata": {"name": "i", field: given}}

    made = {**a_thing(group, "made"), "metadata": {"name": "made", field: given}, "spec": {"inner": inner}}
    created = server.create(things(group), made)
    server.create(things(group), a_thing(group, "plain"))
    added = [{"op": "add", "path": f"/metadata/{field}", "value": given}]
    patched = server.request("PATCH", things(group, name="plain"), added, content_type="application/json-patch+json")
    merged = server.patch(things(group, name="made"), {"metadata": {field: {"b": None}}})
    applied = server.request(
        "PATCH",
        things(group, name="applied") + "?fieldManager=me",
        {**a_thing(group, "applied"), "metadata": {"name": "applied", field: given}},
        content_type="application/apply-patch+yaml",
    )

    for obj in (created, created["spec"]["inner"], patched.json(), applied.json()):
        assert obj["metadata"][field] == {"a": "", "b": "c"}
    assert merged.json()["metadata"][field] == {"a": ""}


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (1, 201),
        ("1e308", 201),
        (2**53 - 1, 201),
        (float(2**53 - 1), 201),
        (float(2**53), 422),
        (1e308, 422),
        (2**63 - 1, 201),
        (2**70, 422),
        (10**400, 422),
        (1.5, 422),
    ],
)
def test_a_number_is_an_integer_within_the_bounds_of_kubernetes_decoder(
    server: Windlass, value: float, answer: int
) -> None:
    group = "numbers.example.com"
    amount = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
    server.request("POST", CRDS, a_crd(group, a_version(amount=amount)))

    refused = server.request("POST", things(group), a_thing(group, f"n{abs(hash(str(value)))}", amount=value))

    assert refused.status == answer, refused.body
    if answer == 422:
        assert 'must be of type integer,string: "number"' in refused.json()["message"]


def test_a_float_without_a_fraction_is_stored_as_go_prints_it(server: Windlass) -> None:
    group = "floats.example.com"
    server.create(CRDS, a_crd(group, a_version(size={"type": "integer"}, share={"type": "number"})))

    made = server.request("POST", things(group), {**a_thing(group, "f", size=2.0, share=3.0)})

    assert b'"size":2,' in made.body.replace(b" ", b"") or b'"size":2}' in made.body.replace(b" ", b"")
    assert b"3.0" not in made.body
