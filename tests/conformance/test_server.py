"""What Kubernetes' conformance tests ask of the server as a whole: discovery, health, forms, namespaces, policies."""

from uuid import uuid4

import pytest

from tests.conformance.builders import named
from tests.conformance.client import Caller
from tests.support import Windlass, eventually


def test_every_group_prefers_one_of_its_versions_and_serves_resources_in_each(administrator: Caller) -> None:
    found = administrator.get("/apis")["groups"]
    groups = [group for group in found if not group["name"].endswith(".example.com")]  # other tests' come and go
    for group in groups:
        assert group["preferredVersion"] in group["versions"]
        assert administrator.get(f"/apis/{group['name']}")["preferredVersion"] == group["preferredVersion"]
        for version in group["versions"]:
            listed = administrator.get(f"/apis/{version['groupVersion']}")
            assert listed["groupVersion"] == version["groupVersion"]
            assert listed["resources"]
    assert {"apps", "batch", "flowcontrol.apiserver.k8s.io", "networking.k8s.io"} <= {g["name"] for g in groups}


def test_what_is_kept_says_in_which_version(administrator: Caller) -> None:
    kept = {entry["name"]: entry.get("storageVersionHash") for entry in administrator.resources("v1")}
    assert (kept["pods"], kept["configmaps"]) == ("xPOwRZ+Yhw8=", "qFsyl6wFWjQ=")
    assert kept["bindings"] is kept["pods/status"] is None
    (new_events,) = administrator.resources("events.k8s.io/v1")
    assert new_events["storageVersionHash"] == kept["events"]


@pytest.mark.parametrize("transform", ["Table", "PartialObjectMetadata"])
def test_a_review_has_no_other_form(server: Windlass, transform: str) -> None:
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
    }
    answer = server.request(
        "POST",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        review,
        headers={"accept": f"application/json;as={transform};v=v1;g=meta.k8s.io"},
    )
    assert (answer.status, answer.json()["reason"]) == (406, "NotAcceptable")


@pytest.mark.parametrize("probe", ["healthz", "livez", "readyz"])
def test_health_is_told_whole_by_part_and_without_parts(administrator: Caller, probe: str) -> None:
    for path in (f"/{probe}", f"/{probe}/ping", f"/{probe}/etcd", f"/{probe}/log"):
        answer = administrator.ask("GET", path)
        assert (answer.status, answer.body) == (200, b"ok")
    told = administrator.ask("GET", f"/{probe}", verbose="", exclude="etcd").body.decode()
    assert "[+]ping ok" in told
    assert "excluded: ok" in told
    assert told.endswith(f"{probe} check passed\n")
    assert administrator.ask("GET", f"/{probe}/nothing").status == 404


def test_a_namespace_takes_finalizers_at_its_own_endpoint(administrator: Caller) -> None:
    name = f"n{uuid4().hex[:8]}"
    path = f"/api/v1/namespaces/{name}"
    administrator.create("/api/v1/namespaces", named("v1", "Namespace", name))

    finalize = f"{path}/finalize"
    held = administrator.replace(path, lambda made: made["spec"]["finalizers"].append("example.com/mine"), finalize)
    plain = administrator.patch(path, {"spec": {"finalizers": []}})
    administrator.delete(path)
    eventually(lambda: administrator.get(path)["spec"]["finalizers"] == ["example.com/mine"])
    administrator.replace(path, lambda last: last["spec"].update(finalizers=[]), finalize)

    assert held["spec"]["finalizers"] == plain["spec"]["finalizers"] == ["kubernetes", "example.com/mine"]
    eventually(lambda: administrator.is_gone(path))


def test_the_copy_of_the_authority_is_put_right_again(administrator: Caller, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps/kube-root-ca.crt"
    right = eventually(lambda: (answer := administrator.ask("GET", path)).status == 200 and answer.json()["data"])

    administrator.patch(path, {"data": {"ca.crt": "nonsense"}})
    eventually(lambda: administrator.get(path)["data"] == right)
    administrator.delete(path)
    eventually(lambda: administrator.ask("GET", path).status == 200)


def test_a_policy_says_which_generation_is_in_force(administrator: Caller) -> None:
    path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
    rules = [{"apiGroups": ["none.example.com"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]
    spec = {"matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "true"}]}
    name = f"p{uuid4().hex[:8]}"
    administrator.create(path, named("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", name, spec=spec))

    def observed() -> int:
        return administrator.get(f"{path}/{name}").get("status", {}).get("observedGeneration", 0)

    eventually(lambda: observed() == 1)
    administrator.patch(f"{path}/{name}", {"spec": {"validations": [{"expression": "1 == 1"}]}})
    eventually(lambda: observed() == 2)
    administrator.delete(f"{path}/{name}")


def test_status_conditions_of_an_apiservice_are_kept_beside_its_availability(administrator: Caller) -> None:
    path = "/apis/apiregistration.k8s.io/v1/apiservices"
    group = f"g{uuid4().hex[:8]}.example.com"
    spec = {
        "group": group,
        "version": "v1",
        "groupPriorityMinimum": 1000,
        "versionPriority": 15,
        "service": {"name": "nobody", "namespace": "default"},
    }
    administrator.create(path, named("apiregistration.k8s.io/v1", "APIService", f"v1.{group}", spec=spec))
    told = {"type": "Told", "status": "True", "reason": "Test", "lastTransitionTime": "2026-01-01T00:00:00Z"}

    administrator.patch(f"{path}/v1.{group}/status", {"status": {"conditions": [told]}})

    def types() -> set[str]:
        return {c["type"] for c in administrator.get(f"{path}/v1.{group}")["status"].get("conditions", [])}

    eventually(lambda: types() == {"Told", "Available"})
    administrator.delete(f"{path}/v1.{group}")
