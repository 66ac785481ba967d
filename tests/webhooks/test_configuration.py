"""The objects by which a cluster knows the webhooks."""

from typing import Any

import pytest

from tests.apis.verdicts import NO_CHECKS
from windlass.apis.app import App
from windlass.apps import all_apps
from windlass.apps.training.app import APP as TRAINING
from windlass.apps.training.crds import definitions
from windlass.kube.json import Object, dig
from windlass.webhooks.addresses import Service, Url, WebhookAddress
from windlass.webhooks.configuration import (
    VALIDATING,
    ca_patch,
    configurations,
    conversion,
    converted_kinds,
    custom_resources,
    objects_with_ca,
)
from windlass.webhooks.handlers import handlers

SERVICE = Service(name="windlass", namespace="team")


def validating(place: WebhookAddress = SERVICE) -> Object:
    (found,) = [one for one in configurations([TRAINING], place) if one["kind"] == VALIDATING.name]
    return found


def test_every_training_kind_is_checked_in_every_version_under_upstreams_name() -> None:
    made = validating()
    served = {
        (crd["spec"]["names"]["plural"], tuple(sorted(version["name"] for version in crd["spec"]["versions"])))
        for crd in definitions()
        if crd["spec"]["group"] == "kubeflow.org"
    }

    rules = [webhook["rules"][0] for webhook in made["webhooks"]]
    assert {(rule["resources"][0], tuple(sorted(rule["apiVersions"]))) for rule in rules} == served
    assert all(rule["operations"] == ["CREATE", "UPDATE"] for rule in rules)
    assert "validator.pytorchjob.training-operator.kubeflow.org" in {webhook["name"] for webhook in made["webhooks"]}


@pytest.mark.parametrize("app", all_apps(), ids=lambda app: app.name)
def test_every_webhook_leads_to_a_path_that_is_served(app: App) -> None:
    webhooks = [webhook for one in configurations([app], SERVICE) for webhook in one["webhooks"]]
    paths = {dig(webhook, "clientConfig", "service", "path") for webhook in webhooks}
    converters = {
        dig(crd, "spec", "conversion", "webhook", "clientConfig", "service", "path")
        for crd in custom_resources(app, SERVICE)
    } - {None}
    nobody: Any = None

    assert paths | converters == set(handlers([app], nobody, NO_CHECKS))


@pytest.mark.parametrize("app", all_apps(), ids=lambda app: app.name)
def test_the_ca_is_written_into_all_that_is_printed_and_nothing_else(app: App) -> None:
    printed = [*configurations([app], SERVICE), *custom_resources(app, SERVICE)]
    leading_here = {(obj["kind"], obj["metadata"]["name"]) for obj in printed if ca_patch(obj, "Q0E=") is not None}

    assert leading_here == {(kind.name, name) for kind, name in objects_with_ca([app])}


def test_every_kind_of_several_versions_is_converted() -> None:
    several = {
        crd["metadata"]["name"]
        for crd in definitions()
        if crd["spec"]["group"] == "kubeflow.org" and len(crd["spec"]["versions"]) > 1
    }

    assert {kind.group_resource for kind in converted_kinds(TRAINING)} == several


def test_a_manager_outside_the_cluster_is_named_by_its_url() -> None:
    made = validating(Url(base="https://10.0.0.1:9443/"))

    assert made["webhooks"][0]["clientConfig"] == {"url": "https://10.0.0.1:9443/validate-kubeflow-org-v1-jaxjob"}


def test_the_ca_is_written_into_every_webhook_and_only_where_it_is_not_there() -> None:
    made = validating()
    made["metadata"]["resourceVersion"] = "5"

    patch = ca_patch(made, "Q0E=")

    assert patch is not None
    assert patch["metadata"] == {"resourceVersion": "5"}
    assert [dig(one, "clientConfig", "caBundle") for one in patch["webhooks"]] == ["Q0E="] * len(made["webhooks"])
    assert dig(patch["webhooks"][0], "clientConfig", "service") == dig(made, "webhooks")[0]["clientConfig"]["service"]
    assert ca_patch({**made, "webhooks": patch["webhooks"]}, "Q0E=") is None


def test_the_ca_is_written_into_definitions_that_are_converted_by_webhook_and_into_no_other() -> None:
    crd = {
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tfjobs.kubeflow.org", "resourceVersion": "5"},
        "spec": {},
    }

    patch = ca_patch({**crd, "spec": {"conversion": conversion(SERVICE)}}, "Q0E=")

    assert patch is not None
    assert dig(patch, "spec", "conversion", "webhook", "clientConfig") == {"caBundle": "Q0E="}
    assert ca_patch({**crd, "spec": {"conversion": {"strategy": "None"}}}, "Q0E=") is None
