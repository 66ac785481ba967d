"""What a cluster is told about the webhooks."""

from windlass.apis.training.crds import definitions
from windlass.kube.json import dig
from windlass.webhooks.asked import Service, Url
from windlass.webhooks.configuration import (
    CONVERTED,
    configuration_patch,
    conversion,
    definition_patch,
    mutating_configuration,
    validating_configuration,
)
from windlass.webhooks.paths import HANDLERS

SERVICE = Service(name="windlass", namespace="team")


def test_every_training_kind_is_checked_in_every_version_under_upstreams_name() -> None:
    made = validating_configuration(SERVICE)
    served = {
        (crd["spec"]["names"]["plural"], tuple(sorted(version["name"] for version in crd["spec"]["versions"])))
        for crd in definitions()
        if crd["spec"]["group"] == "kubeflow.org"
    }

    rules = [webhook["rules"][0] for webhook in made["webhooks"]]
    assert {(rule["resources"][0], tuple(sorted(rule["apiVersions"]))) for rule in rules} == served
    assert all(rule["operations"] == ["CREATE", "UPDATE"] for rule in rules)
    assert "validator.pytorchjob.training-operator.kubeflow.org" in {webhook["name"] for webhook in made["webhooks"]}


def test_every_webhook_leads_to_a_path_that_is_served() -> None:
    webhooks = [*validating_configuration(SERVICE)["webhooks"], *mutating_configuration(SERVICE)["webhooks"]]
    paths = {dig(webhook, "clientConfig", "service", "path") for webhook in webhooks}
    convert = conversion(SERVICE)["webhook"]["clientConfig"]["service"]["path"]

    assert {*paths, convert} == set(HANDLERS)


def test_every_kind_of_several_versions_is_converted() -> None:
    several = {
        crd["metadata"]["name"]
        for crd in definitions()
        if crd["spec"]["group"] == "kubeflow.org" and len(crd["spec"]["versions"]) > 1
    }

    assert {kind.group_resource for kind in CONVERTED} == several


def test_a_manager_outside_the_cluster_is_named_by_its_url() -> None:
    made = validating_configuration(Url(base="https://10.0.0.1:9443/"))

    assert made["webhooks"][0]["clientConfig"] == {"url": "https://10.0.0.1:9443/validate-kubeflow-org-v1-jaxjob"}


def test_the_ca_is_written_into_every_webhook_and_only_where_it_is_not_there() -> None:
    made = validating_configuration(SERVICE)
    made["metadata"]["resourceVersion"] = "5"

    patch = configuration_patch(made, "Q0E=")

    assert patch is not None
    assert patch["metadata"] == {"resourceVersion": "5"}
    assert [dig(one, "clientConfig", "caBundle") for one in patch["webhooks"]] == ["Q0E="] * len(made["webhooks"])
    assert dig(patch["webhooks"][0], "clientConfig", "service") == dig(made, "webhooks")[0]["clientConfig"]["service"]
    assert configuration_patch({**made, "webhooks": patch["webhooks"]}, "Q0E=") is None


def test_the_ca_is_written_into_definitions_that_are_converted_by_webhook_and_into_no_other() -> None:
    crd = {"metadata": {"name": "tfjobs.kubeflow.org", "resourceVersion": "5"}, "spec": {}}

    patch = definition_patch({**crd, "spec": {"conversion": conversion(SERVICE)}}, "Q0E=")

    assert patch is not None
    assert dig(patch, "spec", "conversion", "webhook", "clientConfig") == {"caBundle": "Q0E="}
    assert definition_patch({**crd, "spec": {"conversion": {"strategy": "None"}}}, "Q0E=") is None
