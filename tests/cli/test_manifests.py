"""What `windlass manifests` prints: whole, in order, with no more rights than controllers declare."""

import re
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from windlass import __version__
from windlass.cli.cluster_rules import cluster_rules
from windlass.cli.main import cli
from windlass.cli.manager_webhooks import port_of
from windlass.cli.manifests import as_yaml, parts
from windlass.cli.settings import ManagerSettings
from windlass.controllers import training
from windlass.kube.controller import Acting, Controller
from windlass.kube.view import view

Object = dict[str, Any]


def printed(*words: str) -> str:
    done = CliRunner().invoke(cli, ["manifests", *words])
    assert done.exit_code == 0, done.output
    return done.output


def of_kind(objects: list[Object], kind: str) -> list[Object]:
    return [obj for obj in objects if obj["kind"] == kind]


def the_manager(objects: list[Object]) -> Object:
    (deployment,) = of_kind(objects, "Deployment")
    return deployment["spec"]["template"]["spec"]["containers"][0]


def test_what_is_printed_is_yaml_that_says_the_same() -> None:
    text = printed("operator", "--namespace", "team", "--image", "me/windlass:1")

    assert list(yaml.safe_load_all(text)) == parts("operator", "team", "me/windlass:1")
    assert "&id" not in as_yaml(parts("crds", "team", ""))


def test_all_is_the_parts_together_and_a_namespace_comes_before_what_is_in_it() -> None:
    everything = parts("all", "team", "image")

    assert everything == [obj for part in ("crds", "operator", "webhooks") for obj in parts(part, "team", "image")]
    kinds = [obj["kind"] for obj in everything]
    assert kinds.index("Namespace") < min(i for i, obj in enumerate(everything) if "namespace" in obj["metadata"])


def test_the_image_is_this_version_and_of_no_registry() -> None:
    assert the_manager(list(yaml.safe_load_all(printed("operator"))))["image"] == f"windlass:{__version__}"


def test_kinds_of_several_versions_are_converted_by_the_service_of_the_namespace() -> None:
    crds = parts("crds", "team", "image")

    several = [crd for crd in crds if len(crd["spec"]["versions"]) > 1]
    assert {crd["spec"]["names"]["kind"] for crd in several} == {"TFJob", "MPIJob"}
    for crd in crds:
        converted = crd["spec"]["conversion"]
        assert (converted["strategy"] == "Webhook") == (crd in several)
    service = several[0]["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
    assert (service["name"], service["namespace"], service["path"]) == ("windlass-manager", "team", "/convert")


def test_the_service_leads_to_a_port_of_the_manager_that_its_probes_know() -> None:
    everything = parts("all", "team", "image")

    (service,) = of_kind(everything, "Service")
    manager = the_manager(everything)
    (deployment,) = of_kind(everything, "Deployment")
    named = {port["name"] for port in manager["ports"]}
    assert {port["targetPort"] for port in service["spec"]["ports"]} <= named
    assert {manager[probe]["httpGet"]["port"] for probe in ("livenessProbe", "readinessProbe")} <= named
    assert service["spec"]["selector"] == deployment["spec"]["template"]["metadata"]["labels"]


def test_the_manager_is_called_with_options_that_it_has() -> None:
    manager = the_manager(parts("operator", "team", "image"))

    words = [*manager["command"][1:], *manager["args"], "--help"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    known = set(re.findall(r"--[a-z-]+", done.output))
    assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known


def test_what_the_deployment_looks_after_is_what_its_rights_are_for() -> None:
    (scheme,) = [word for word in the_manager(parts("operator", "", ""))["args"] if "--enable-scheme" in word]

    assert scheme.partition("=")[2].split(",") == sorted(training.kinds())


def test_a_manager_outside_the_cluster_is_named_by_its_url_and_needs_no_service() -> None:
    made = parts("webhooks", "team", "image", "https://10.0.0.1:9443")

    assert [obj["kind"] for obj in made] == ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]
    assert made[0]["webhooks"][0]["clientConfig"]["url"].startswith("https://10.0.0.1:9443/validate-")


def test_a_url_without_tls_is_refused() -> None:
    done = CliRunner().invoke(cli, ["manifests", "--webhook-url", "http://10.0.0.1"])

    assert done.exit_code == 2
    assert "--webhook-url: must begin with https://" in done.output


def test_whatever_a_controller_looks_at_it_may_look_at() -> None:
    seen = {
        (view(source).kind.group, view(source).kind.plural)
        for each in training.controllers()
        if isinstance(each, Controller | Acting)
        for source in (each.kind, *each.owns, *(source for source, _ in each.watches))
    }

    assert seen <= {(group, resource) for verb, group, resource in rights() if verb == "watch"}


def test_no_right_is_for_everything() -> None:
    for verb, group, resource in rights():
        assert "*" not in (verb, group, resource)
        assert verb not in ("deletecollection", "escalate", "bind", "impersonate")
        assert resource not in ("clusterroles", "nodes", "namespaces")


def test_secrets_are_made_and_never_changed_or_removed() -> None:
    assert {verb for verb, _, resource in rights() if resource == "secrets"} == {"create", "list", "watch"}


def test_people_get_the_roles_of_kubeflow() -> None:
    roles = {role["metadata"]["name"]: role for role in of_kind(parts("operator", "", ""), "ClusterRole")}

    assert {"kubeflow-training-admin", "kubeflow-training-edit", "kubeflow-training-view"} <= set(roles)
    assert roles["kubeflow-training-admin"]["aggregationRule"]
    assert all("kubernetes.io/bootstrapping" not in role["metadata"]["labels"] for role in roles.values())


def rights() -> set[tuple[str, str, str]]:
    return {
        (verb, group, resource)
        for rule in cluster_rules()
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


@pytest.mark.parametrize(
    ("settings", "port"),
    [
        (ManagerSettings(), 0),
        (ManagerSettings(in_cluster=True), 9443),
        (ManagerSettings(in_cluster=True, webhook_port=0), 0),
        (ManagerSettings(webhook_port=1234), 1234),
    ],
)
def test_only_a_manager_in_the_cluster_serves_webhooks_unasked(settings: ManagerSettings, port: int) -> None:
    assert port_of(settings) == port
