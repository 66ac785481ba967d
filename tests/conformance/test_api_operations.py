"""Every kind of Kubernetes' own goes through every operation, as Kubernetes' conformance tests have it for each."""

from copy import deepcopy
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml

from tests.apiserver.builtin.kinds_builders import EXAMPLES, an
from tests.apiserver.watching import watch
from tests.conformance.client import Caller, unless_outrun
from tests.support import eventually
from windlass.apiserver.builtin import RESOURCES

STATUSES: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("statuses.yaml").read_text())
VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
ORIGIN = "windlass.dev/test"

_SCHEMA = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
EXTENSIONS = [
    an(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "",
        spec={
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": _SCHEMA}],
        },
    ),
    an(
        "apiregistration.k8s.io/v1",
        "APIService",
        "",
        spec={
            "version": "v1",
            "groupPriorityMinimum": 1000,
            "versionPriority": 15,
            "service": {"name": "nobody", "namespace": "default"},
        },
    ),
]
# RESOURCES decides what is tested, so that no kind is forgotten.
KINDS = {f"{r.api_version} {r.kind}": r for r in RESOURCES if "update" in r.verbs}
MANIFESTS = {f"{obj['apiVersion']} {obj['kind']}": obj for obj in (*EXAMPLES, *EXTENSIONS)}


class Case:
    """One kind in one test: where its objects are, and what they are called."""

    def __init__(self, caller: Caller, kind: str, namespace: str) -> None:
        self.caller = caller
        self.resource, self.kind = KINDS[kind], kind
        self.mark = f"c{uuid4().hex[:8]}"
        self.selector = f"conformance={self.mark}"
        base = caller.group_version(self.resource.api_version)
        self.everywhere = f"{base}/{self.resource.plural}"
        self.namespace = namespace if self.resource.namespaced else ""
        self.collection = f"{base}/namespaces/{namespace}/{self.resource.plural}" if self.namespace else self.everywhere

    def manifest(self, number: int) -> dict[str, Any]:
        obj = deepcopy(MANIFESTS[self.kind])
        name = f"{self.mark}-{number}"
        match self.resource.kind:
            case "CustomResourceDefinition":
                group = f"{self.mark}.example.com"
                obj["spec"] |= {"group": group, "names": {"plural": f"things{number}", "kind": f"Thing{number}"}}
                name = f"things{number}.{group}"
            case "IPAddress":
                name = f"192.0.{int(self.mark[1:3], 16)}.{number}"
            case "APIService":
                obj["spec"]["group"] = f"{name}.example.com"
                name = f"v1.{name}.example.com"
            case "Event":
                obj[next(field for field in ("involvedObject", "regarding") if field in obj)]["namespace"] = (
                    self.namespace
                )
        obj["metadata"] = {"name": name, "labels": {"conformance": self.mark}}
        return obj

    def path(self, obj: dict[str, Any]) -> str:
        return f"{self.collection}/{obj['metadata']['name']}"

    def listed(self, path: str) -> list[str]:
        found = self.caller.get(path, labelSelector=self.selector)
        assert found["kind"] == self.resource.list_kind_name
        assert found["apiVersion"] == self.resource.api_version
        return sorted(item["metadata"]["name"] for item in found["items"])


@pytest.fixture(params=KINDS)
def case(request: pytest.FixtureRequest, administrator: Caller, namespace: str) -> Case:
    return Case(administrator, request.param, namespace)


def test_a_kind_goes_through_all_its_operations(case: Case) -> None:
    caller = case.caller
    start = caller.get(case.collection, labelSelector=case.selector)["metadata"]["resourceVersion"]
    is_discovered(case)
    first, *rest = [caller.create(case.collection, case.manifest(number)) for number in range(3)]
    names = sorted(obj["metadata"]["name"] for obj in (first, *rest))
    assert case.listed(case.collection) == case.listed(case.everywhere) == names
    is_read_back(case, first)
    is_changed(case, first)
    if case.resource.has_status:
        takes_a_status(case, first)
    goes_alone(case, first)
    go_together(case, rest)
    is_watched(case, start, names)


def is_discovered(case: Case) -> None:
    resource = case.resource
    entry = next(found for found in case.caller.resources(resource.api_version) if found["name"] == resource.plural)
    assert (entry["kind"], entry["namespaced"]) == (resource.kind, resource.namespaced)
    verbs = [verb for verb in VERBS if verb != "deletecollection" or resource.plural != "namespaces"]
    assert sorted(entry["verbs"]) == verbs
    assert entry["singularName"] == resource.kind.lower()
    assert entry["storageVersionHash"]


def is_read_back(case: Case, made: dict[str, Any]) -> None:
    found = case.caller.get(case.path(made))
    for obj in (made, found):
        assert (obj["apiVersion"], obj["kind"]) == (case.resource.api_version, case.resource.kind)
        assert obj["metadata"]["uid"]
        assert obj["metadata"]["creationTimestamp"]
        assert obj["metadata"]["managedFields"][0]["operation"] == "Update"
    assert found["metadata"]["uid"] == made["metadata"]["uid"]


def is_changed(case: Case, made: dict[str, Any]) -> None:
    caller, path = case.caller, case.path(made)
    patched = caller.patch(path, {"metadata": {"annotations": {"patched": "merge"}}})
    assert patched["metadata"]["annotations"]["patched"] == "merge"
    patched = caller.patch(path, {"metadata": {"annotations": {"more": "strategic"}}}, "strategic-merge")
    assert (
        patched["metadata"]["annotations"] | {"patched": "merge", "more": "strategic"}
        == patched["metadata"]["annotations"]
    )
    patched = caller.patch(path, [{"op": "replace", "path": "/metadata/annotations/more", "value": "json"}], "json")
    assert patched["metadata"]["annotations"]["more"] == "json"
    config = {"apiVersion": made["apiVersion"], "kind": made["kind"], "metadata": {"annotations": {"applied": "yes"}}}
    applied = caller.patch(path, config, "apply", fieldManager="conformance")
    assert applied["metadata"]["annotations"]["applied"] == "yes"
    assert ("conformance", "Apply") in [(f["manager"], f["operation"]) for f in applied["metadata"]["managedFields"]]
    updated = caller.replace(path, lambda newest: newest["metadata"]["annotations"].update(updated="yes"))
    assert updated["metadata"]["annotations"]["updated"] == "yes"
    assert int(updated["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])
    stale = caller.ask("PUT", path, {**updated, "metadata": {**updated["metadata"], "resourceVersion": "1"}})
    assert (stale.status, stale.json()["reason"]) == (409, "Conflict")


def takes_a_status(case: Case, made: dict[str, Any]) -> None:
    status = STATUSES[case.kind]
    keeps_metadata = not getattr(case.resource.strategy, "written_with_status", ())
    before, patched, untouched = eventually(lambda: status_and_spec_by_turns(case, case.path(made)), within=120)
    assert before["kind"] == case.resource.kind
    assert shown(status, patched["status"]) == status
    assert patched.get("spec") == before.get("spec")
    assert ("by-status" in patched["metadata"]["annotations"]) is not keeps_metadata
    assert shown(status, untouched["status"]) == status

    replaced = case.caller.replace(f"{case.path(made)}/status", lambda newest: newest["status"].update(status))
    assert shown(status, replaced["status"]) == status


def status_and_spec_by_turns(case: Case, path: str) -> list[dict[str, Any]] | None:
    """The object, then with another status, then after a patch of the rest that tries to take the status away.

    None where a controller came between: it may, whenever it finds a status that is not what it would say. So each
    patch names the version that it was decided on, and the second waits for a look at which the status still stands.
    """
    caller, status, merge = case.caller, STATUSES[case.kind], "application/merge-patch+json"
    before = caller.get(f"{path}/status")
    patch = {"status": status, "metadata": {**version_of(before), "annotations": {"by-status": "yes"}}}
    patched = unless_outrun(caller.ask("PATCH", f"{path}/status", patch, merge))
    newest = caller.get(path)
    if patched is None or shown(status, newest["status"]) != status:
        return None
    patch = {"status": None, "metadata": {**version_of(newest), "annotations": {"by-spec": "yes"}}}
    untouched = unless_outrun(caller.ask("PATCH", path, patch, merge))
    return [before, patched, untouched] if untouched is not None else None


def version_of(obj: dict[str, Any]) -> dict[str, Any]:
    return {"resourceVersion": obj["metadata"]["resourceVersion"]}


def shown(status: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Of what was found the parts that were written: controllers and the server add their own."""
    parts = {name: found.get(name) for name in status}
    if "conditions" in status:
        wanted = status["conditions"][0]
        own = [c for c in found.get("conditions", []) if c["type"] == wanted["type"]]
        parts["conditions"] = [{name: condition.get(name) for name in wanted} for condition in own]
    return parts


def goes_alone(case: Case, made: dict[str, Any]) -> None:
    answer = case.caller.delete(case.path(made), {"propagationPolicy": "Background", "gracePeriodSeconds": 0})
    if case.resource.strategy.returns_deleted or case.resource.kind in ("Namespace", "CustomResourceDefinition"):
        assert (answer["kind"], answer["metadata"]["uid"]) == (made["kind"], made["metadata"]["uid"])
    else:
        assert (answer["kind"], answer["status"], answer["details"]["uid"]) == (
            "Status", "Success", made["metadata"]["uid"],
        )  # fmt: skip
    eventually(lambda: case.caller.is_gone(case.path(made)), within=120)


def go_together(case: Case, rest: list[dict[str, Any]]) -> None:
    if "deletecollection" in case.resource.verbs:
        case.caller.delete(case.collection, {"propagationPolicy": "Background"}, labelSelector=case.selector)
    else:
        for obj in rest:
            case.caller.delete(case.path(obj))
    eventually(lambda: case.listed(case.everywhere) == [], within=120)


def is_watched(case: Case, start: str, names: list[str]) -> None:
    """What happened is told from the version before it: each object comes, changes and goes."""
    seen: dict[str, list[str]] = {}
    with watch(
        case.caller.server, case.collection, labelSelector=case.selector, resourceVersion=start, timeoutSeconds="60"
    ) as events:
        while sum(kinds[-1] == "DELETED" for kinds in seen.values()) < len(names):
            event = events.next()
            assert event is not None, seen
            assert event["object"]["kind"] == case.resource.kind
            seen.setdefault(event["object"]["metadata"]["name"], []).append(event["type"])
    assert sorted(seen) == names
    for kinds in seen.values():
        assert (kinds[0], kinds[-1]) == ("ADDED", "DELETED")
        assert set(kinds[1:-1]) <= {"MODIFIED"}
    assert any("MODIFIED" in kinds for kinds in seen.values())
