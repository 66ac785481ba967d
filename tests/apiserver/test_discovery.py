import random
from typing import Any

import pytest

from windlass.apiserver.builtin import RESOURCES
from windlass.apiserver.discovery import (
    SUBRESOURCES,
    Document,
    aggregated,
    answer,
    api_group,
    api_group_list,
    api_resource_list,
    groups,
    version_priority,
    wanted_aggregated,
)
from windlass.apiserver.resources import Registry, Resource
from windlass.kube.json import Object, decode
from windlass.kube.schema import ANY

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
BETA = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
KUBECTL = f"{AGGREGATED},{BETA},application/json"


def a_resource(group: str, version: str, kind: str, **fields: Any) -> Resource:
    plural = fields.pop("plural", f"{kind.lower()}s")
    return Resource(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        namespaced=fields.pop("namespaced", True),
        load_schema=lambda: ANY,
        **fields,
    )


def kubernetes() -> Registry:
    return Registry(RESOURCES)


def found(document: Document | None) -> Object:
    assert document is not None
    return decode(document.body)


def test_versions_are_preferred_as_kubernetes_documents_it() -> None:
    documented = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]
    shuffled = random.Random(1).sample(documented, len(documented))

    assert sorted(shuffled, key=version_priority) == documented


def test_kubernetes_groups_come_first_then_volcanos_and_others_by_name() -> None:
    registry = Registry(
        [
            a_resource("zeta.org", "v1", "Z"),
            a_resource("alpha.org", "v1", "A"),
            a_resource("scheduling.volcano.sh", "v1beta1", "PodGroup"),
            a_resource("batch", "v1", "Job"),
            a_resource("apps", "v1", "Deployment"),
            a_resource("", "v1", "Pod"),
        ]
    )

    assert list(groups(registry)) == ["", "apps", "batch", "scheduling.volcano.sh", "alpha.org", "zeta.org"]


def test_the_preferred_version_of_a_group_is_its_most_stable() -> None:
    registry = Registry(a_resource("example.org", version, "Thing") for version in ("v1alpha1", "v1", "v1beta1"))

    assert api_group(registry, "example.org") == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "example.org",
        "versions": [
            {"groupVersion": f"example.org/{version}", "version": version} for version in ("v1", "v1beta1", "v1alpha1")
        ],
        "preferredVersion": {"groupVersion": "example.org/v1", "version": "v1"},
    }


def test_the_list_of_groups_leaves_out_the_core() -> None:
    listed = api_group_list(kubernetes())

    assert [group["name"] for group in listed["groups"]][:3] == ["apiregistration.k8s.io", "apps", "events.k8s.io"]
    assert {g["name"]: g["preferredVersion"]["version"] for g in listed["groups"]}["autoscaling"] == "v2"


def test_resources_are_listed_with_their_names_and_subresources() -> None:
    listed = api_resource_list(kubernetes(), "apps", "v1")
    assert listed is not None
    by_name = {entry["name"]: entry for entry in listed["resources"]}

    assert listed["groupVersion"] == "apps/v1"
    assert by_name["deployments"] == {
        "name": "deployments",
        "singularName": "deployment",
        "namespaced": True,
        "kind": "Deployment",
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "shortNames": ["deploy"],
        "categories": ["all"],
        "storageVersionHash": "8aSe+NMegvE=",
    }
    assert by_name["deployments/scale"] == {
        "name": "deployments/scale",
        "singularName": "",
        "namespaced": True,
        "group": "autoscaling",
        "version": "v1",
        "kind": "Scale",
        "verbs": ["get", "patch", "update"],
    }
    assert "group" not in by_name["deployments/status"]
    assert list(by_name) == sorted(by_name)


@pytest.mark.parametrize(
    ("name", "group", "kind", "verbs"),
    [
        ("pods/eviction", "policy", "Eviction", ["create"]),
        ("pods/log", None, "Pod", ["get"]),
        ("pods/exec", None, "PodExecOptions", ["create", "get"]),
        ("nodes/proxy", None, "NodeProxyOptions", ["create", "delete", "get", "patch", "update"]),
        ("serviceaccounts/token", "authentication.k8s.io", "TokenRequest", ["create"]),
        ("namespaces/finalize", None, "Namespace", ["update"]),
    ],
)
def test_a_subresource_has_its_own_kind_and_verbs(name: str, group: str | None, kind: str, verbs: list[str]) -> None:
    listed = api_resource_list(kubernetes(), "", "v1")
    assert listed is not None
    entry = next(entry for entry in listed["resources"] if entry["name"] == name)

    assert (entry.get("group"), entry["kind"], entry["verbs"]) == (group, kind, verbs)


def test_every_subresource_that_is_served_can_be_described() -> None:
    assert {name for resource in RESOURCES for name in resource.subresources} <= set(SUBRESOURCES)


def test_the_aggregated_form_tells_all_in_one_document() -> None:
    item = aggregated(
        Registry([a_resource("example.org", "v1", "Thing", subresources=frozenset({"status"}))]), core=False
    )

    assert item["apiVersion"] == "apidiscovery.k8s.io/v2"
    assert item["items"] == [
        {
            "metadata": {"name": "example.org", "creationTimestamp": None},
            "versions": [
                {
                    "version": "v1",
                    "freshness": "Current",
                    "resources": [
                        {
                            "resource": "things",
                            "responseKind": {"group": "example.org", "version": "v1", "kind": "Thing"},
                            "scope": "Namespaced",
                            "singularResource": "thing",
                            "verbs": [
                                "create",
                                "delete",
                                "deletecollection",
                                "get",
                                "list",
                                "patch",
                                "update",
                                "watch",
                            ],
                            "subresources": [
                                {
                                    "subresource": "status",
                                    "responseKind": {"group": "example.org", "version": "v1", "kind": "Thing"},
                                    "verbs": ["get", "patch", "update"],
                                }
                            ],
                        }
                    ],
                }
            ],
        }
    ]


def test_core_and_groups_are_two_aggregated_documents() -> None:
    core = aggregated(kubernetes(), core=True)["items"]
    others = aggregated(kubernetes(), core=False)["items"]

    assert [item["metadata"] for item in core] == [{"creationTimestamp": None}]
    assert all(item["metadata"].get("name") for item in others)


@pytest.mark.parametrize(
    ("accept", "version"),
    [
        (KUBECTL, "v2"),
        (f"{BETA},application/json", "v2beta1"),
        ("application/json", None),
        (f"application/json,{AGGREGATED}", None),
        ("*/*", None),
        ("", None),
        ("application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList", None),
        (
            "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
            None,
        ),
    ],
)
def test_the_accept_header_chooses_the_form(accept: str, version: str | None) -> None:
    assert wanted_aggregated(accept) == version


@pytest.mark.parametrize(
    ("path", "accept", "kind", "content_type"),
    [
        ("/api", "application/json", "APIVersions", "application/json"),
        ("/api/", "application/json", "APIVersions", "application/json"),
        ("/api", KUBECTL, "APIGroupDiscoveryList", AGGREGATED),
        ("/apis", BETA, "APIGroupDiscoveryList", BETA),
        ("/apis", "application/json", "APIGroupList", "application/json"),
        ("/api/v1", KUBECTL, "APIResourceList", "application/json"),
        ("/apis/apps", "application/json", "APIGroup", "application/json"),
        ("/apis/apps/v1", "application/json", "APIResourceList", "application/json"),
    ],
)
def test_each_path_has_its_document(path: str, accept: str, kind: str, content_type: str) -> None:
    document = answer(kubernetes(), path, accept)

    assert found(document)["kind"] == kind
    assert document is not None
    assert document.content_type == content_type.encode()


@pytest.mark.parametrize("path", ["/apis/nobody.org", "/apis/apps/v9", "/api/v2", "/apis/apps/v1/pods", "/other"])
def test_what_is_not_served_is_not_discovered(path: str) -> None:
    assert answer(kubernetes(), path) is None


def test_a_document_is_made_again_only_when_the_registry_changes() -> None:
    registry = Registry([a_resource("example.org", "v1", "Thing")])
    first, again = answer(registry, "/apis", AGGREGATED), answer(registry, "/apis", AGGREGATED)
    registry.add(a_resource("example.org", "v1", "Other"))
    changed = answer(registry, "/apis", AGGREGATED)

    assert first is again
    assert first is not None
    assert changed is not None
    assert first.etag != changed.etag
    assert "others" in changed.body.decode()
