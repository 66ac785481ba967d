"""Which kinds are served and how they are named; and what holds for every one of them."""

import pytest

from tests.apiserver.builtin.kinds_builders import EXAMPLES, created, defaulted, resource_of, strategy_of
from windlass.apiserver.builtin import RESOURCES, definition_name
from windlass.apiserver.resources import Registry, Resource
from windlass.kube import definitions
from windlass.kube.json import Object
from windlass.kube.schema import check


def _resource(obj: Object) -> Resource:
    group, slash, version = obj["apiVersion"].rpartition("/")
    return resource_of(obj["kind"], group if slash else "", version)


def _named(obj: Object) -> str:
    return f"{obj['apiVersion']} {obj['kind']}"


every_example = pytest.mark.parametrize("obj", EXAMPLES, ids=_named)


def test_no_two_resources_have_the_same_path() -> None:
    assert len(list(Registry(RESOURCES))) == len(RESOURCES)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: f"{r.api_version} {r.kind}")
def test_every_kind_has_a_definition_with_a_schema(resource: Resource) -> None:
    assert definitions.definition(definition_name(resource.group, resource.version, resource.kind))
    assert resource.schema.type == "object"


@pytest.mark.parametrize(
    ("group", "kind", "plural", "shorts", "namespaced"),
    [
        ("", "Pod", "pods", ("po",), True),
        ("", "Namespace", "namespaces", ("ns",), False),
        ("", "Endpoints", "endpoints", ("ep",), True),
        ("", "Secret", "secrets", (), True),
        ("apps", "Deployment", "deployments", ("deploy",), True),
        ("batch", "Job", "jobs", (), True),
        ("batch", "CronJob", "cronjobs", ("cj",), True),
        ("networking.k8s.io", "Ingress", "ingresses", ("ing",), True),
        ("networking.k8s.io", "NetworkPolicy", "networkpolicies", ("netpol",), True),
        ("storage.k8s.io", "StorageClass", "storageclasses", ("sc",), False),
        ("rbac.authorization.k8s.io", "ClusterRole", "clusterroles", (), False),
        ("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", ("crd", "crds"), False),
    ],
)
def test_kinds_are_named_as_kubectl_expects(
    group: str, kind: str, plural: str, shorts: tuple[str, ...], namespaced: bool
) -> None:
    resource = resource_of(kind, group)

    assert (resource.plural, resource.short_names, resource.namespaced) == (plural, shorts, namespaced)


def test_get_all_means_the_kinds_that_kubernetes_puts_in_it() -> None:
    assert {r.plural for r in RESOURCES if "all" in r.categories} == {
        "pods", "services", "replicationcontrollers", "daemonsets", "deployments", "replicasets", "statefulsets",
        "horizontalpodautoscalers", "cronjobs", "jobs",
    }  # fmt: skip


def test_reviews_are_only_created() -> None:
    reviews = [r for r in RESOURCES if r.group.startswith("auth") and r.kind.endswith("Review")]

    assert len(reviews) == 6
    assert all(r.verbs == ("create",) for r in reviews)


def test_versions_and_groups_of_one_thing_share_a_store() -> None:
    assert resource_of("Event").store_key == resource_of("Event", "events.k8s.io").store_key
    autoscalers = [resource_of("HorizontalPodAutoscaler", "autoscaling", v) for v in ("v1", "v2")]
    assert {a.store_key for a in autoscalers} == {"autoscaling/horizontalpodautoscalers"}


@every_example
def test_a_good_object_has_no_causes_and_no_warnings(obj: Object) -> None:
    made = created(obj)

    assert strategy_of(made).validate(made) == []
    assert strategy_of(made).validate_update(made, made) == []
    assert strategy_of(made).warnings(made) == []


@every_example
def test_defaulting_twice_changes_nothing(obj: Object) -> None:
    assert defaulted(defaulted(obj)) == defaulted(obj)


@every_example
def test_what_is_filled_in_is_in_the_schema(obj: Object) -> None:
    findings = check(_resource(obj).schema, created(obj))

    assert findings.unknown == []
    assert findings.type_error is None


@pytest.mark.parametrize("obj", [obj for obj in EXAMPLES if _resource(obj).has_status], ids=_named)
def test_an_update_keeps_the_status_that_a_controller_wrote(obj: Object) -> None:
    old, new = created(obj), created(obj)
    old["status"] = {"observed": True}

    strategy_of(new).prepare_update(new, old)

    assert new["status"] == {"observed": True}


@pytest.mark.parametrize("obj", [obj for obj in EXAMPLES if _resource(obj).has_status], ids=_named)
def test_a_creator_cannot_set_the_status(obj: Object) -> None:
    made = created({**obj, "status": {"claimed": True}})

    assert ("claimed" in made["status"]) == (obj["kind"] == "Node")


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: f"{r.api_version} {r.kind}")
def test_selectable_fields_can_be_asked_of_an_empty_object(resource: Resource) -> None:
    assert all(isinstance(value, str) for value in resource.strategy.selectable_fields({}).values())
