"""What `windlass manifests` prints: whole, in order, with no more rights than controllers declare."""

import re
from importlib import import_module
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.deploy.contexts import contexts, watched_kinds
from tests.deploy.permitted import permissions, permissions_of
from windlass import __version__
from windlass.apis.app import App
from windlass.apps import all_apps
from windlass.apps.jobset.app import APP as JOBSET
from windlass.apps.pipelines.app import APP as PIPELINES
from windlass.apps.trainer.app import APP as TRAINER
from windlass.apps.training import controllers as training
from windlass.apps.training.app import APP as TRAINING
from windlass.apps.volcano.app import APP as VOLCANO
from windlass.cli.components.manager_webhooks import port_of
from windlass.cli.main import cli
from windlass.cli.manager_settings import ManagerSettings
from windlass.cli.manifests import PARTS, as_yaml, parts
from windlass.controllers.context import Context
from windlass.deploy.scheduler_permissions import scheduler_rules
from windlass.deploy.stages import is_ours
from windlass.scheduler.live.core import configuration as configured

Object = dict[str, Any]


def printed(*words: str) -> str:
    done = CliRunner().invoke(cli, ["manifests", *words])
    assert done.exit_code == 0, done.output
    return done.output


def of_kind(objects: list[Object], kind: str) -> list[Object]:
    return [obj for obj in objects if obj["kind"] == kind]


def the_manager(objects: list[Object]) -> Object:
    return the_container(objects, "manager")


def the_container(objects: list[Object], name: str) -> Object:
    pods = [deployment["spec"]["template"]["spec"] for deployment in of_kind(objects, "Deployment")]
    (found,) = [one for pod in pods for one in pod["containers"] if one["name"] == name]
    return found


def test_what_is_printed_is_yaml_that_says_the_same() -> None:
    text = printed("operator", "--namespace", "team", "--image", "me/windlass:1")

    assert list(yaml.safe_load_all(text)) == parts("operator", "team", "me/windlass:1")
    assert "&id" not in as_yaml(parts("crds", "team", ""))


def test_all_is_the_parts_together_and_a_namespace_comes_before_what_is_in_it() -> None:
    everything = parts("all", "team", "image")

    assert everything == [obj for part in ("crds", "operator", "webhooks") for obj in parts(part, "team", "image")]
    kinds = [obj["kind"] for obj in everything]
    assert kinds.index("Namespace") < min(i for i, obj in enumerate(everything) if "namespace" in obj["metadata"])


def test_in_place_of_volcano_the_scheduler_is_among_all_and_nothing_comes_twice() -> None:
    everything = parts("all", "team", "image", options=["volcano"])

    names = [(obj["kind"], obj["metadata"].get("namespace"), obj["metadata"]["name"]) for obj in everything]
    assert len(set(names)) == len(names)
    assert all(obj in everything for part in PARTS[:-1] for obj in parts(part, "team", "image", options=["volcano"]))
    assert ("Deployment", "team", "windlass-scheduler") in names
    assert parts("scheduler", "team", "image") == parts("scheduler", "team", "image", options=["volcano"])


@pytest.mark.parametrize("part", PARTS)
def test_every_printed_object_has_the_label_by_which_an_uninstall_knows_it(part: str) -> None:
    made = parts(part, "team", "image", options=["volcano", "trainer", "platform", "pipelines"])

    assert [obj["metadata"]["name"] for obj in made if not is_ours(obj)] == []


def test_volcanos_kinds_come_only_where_they_are_asked_for() -> None:
    plain, more = (
        {crd["spec"]["group"] for crd in parts("crds", "", "", options=options)} for options in ([], ["volcano"])
    )

    assert plain == {"kubeflow.org"}
    assert more - plain == {
        f"{name}.volcano.sh" for name in ("batch", "bus", "flow", "scheduling", "topology", "nodeinfo")
    }


def test_trainers_kinds_come_only_where_they_are_asked_for_and_their_runtimes_apart() -> None:
    made = parts("all", "team", "image", options=["trainer"])
    names = [(obj["kind"], obj["metadata"]["name"]) for obj in made]

    assert {crd["spec"]["group"] for crd in of_kind(made, "CustomResourceDefinition")} == {
        "kubeflow.org", "trainer.kubeflow.org", "jobset.x-k8s.io"
    }  # fmt: skip
    assert len(set(names)) == len(names)
    assert ("ConfigMap", "kubeflow-trainer-public") in names
    assert {("ClusterRole", f"kubeflow-trainer-{level}") for level in ("admin", "edit", "view")} <= {*names}
    assert not of_kind(made, "ClusterTrainingRuntime")
    assert {obj["kind"] for obj in parts("runtimes", "", "")} == {"ClusterTrainingRuntime"}


@pytest.mark.parametrize("component", ["manager", "scheduler"])
def test_every_program_is_bound_to_its_own_roles_and_runs_as_its_own_account(component: str) -> None:
    everything, name = parts("all", "team", "image", options=["volcano"]), f"windlass-{component}"
    named = [obj for obj in everything if obj["metadata"]["name"] == name]

    for kind in ("ClusterRole", "Role"):
        (binding,) = of_kind(named, f"{kind}Binding")
        assert (binding["roleRef"]["kind"], binding["roleRef"]["name"]) == (kind, name)
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": name, "namespace": "team"}]
    (deployment,) = of_kind(named, "Deployment")
    assert deployment["spec"]["template"]["spec"]["serviceAccountName"] == name
    assert deployment["spec"]["selector"]["matchLabels"] == deployment["spec"]["template"]["metadata"]["labels"]
    (lease,) = [
        rule
        for rule in of_kind(named, "Role")[0]["rules"]
        if "update" in rule["verbs"] and "leases" in rule["resources"]
    ]
    assert lease["resourceNames"] == [name]


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


@pytest.mark.parametrize("program", ["manager", "scheduler"])
def test_each_program_is_called_with_options_that_it_has(program: str) -> None:
    container = the_container(parts("all", "team", "image", options=["volcano"]), program)

    words = [*container["command"][1:], *container["args"], "--help"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    known = set(re.findall(r"--[a-z-]+", done.output))
    assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize(
    ("options", "more"),
    [([], []), (["volcano"], ["volcano"]), (["trainer"], ["jobset", "trainjob"])],
)
def test_what_the_deployment_looks_after_is_what_its_rights_are_for(options: list[str], more: list[str]) -> None:
    manager = the_manager(parts("operator", "", "", options=options))
    (scheme,) = [word for word in manager["args"] if "--enable-scheme" in word]

    assert scheme.partition("=")[2].split(",") == [*sorted(training.kinds()), *more]


def test_a_manager_outside_the_cluster_is_named_by_its_url_and_needs_no_service() -> None:
    made = parts("webhooks", "team", "image", "https://10.0.0.1:9443")

    assert [obj["kind"] for obj in made] == ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]
    assert made[0]["webhooks"][0]["clientConfig"]["url"].startswith("https://10.0.0.1:9443/validate-")


def test_a_url_without_tls_is_refused() -> None:
    done = CliRunner().invoke(cli, ["manifests", "--webhook-url", "http://10.0.0.1"])

    assert done.exit_code == 2
    assert "--webhook-url: must begin with https://" in done.output


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [("--namespace", "Not_OK", "a lowercase RFC 1123 label must consist of"), ("--image", " ", "must not be empty")],
)
def test_a_name_that_no_cluster_would_take_is_refused(option: str, value: str, why: str) -> None:
    done = CliRunner().invoke(cli, ["manifests", "scheduler", option, value])

    assert done.exit_code == 2
    assert option in done.output
    assert why in " ".join(done.output.split())


@pytest.mark.parametrize("app", [app for app in all_apps() if app.controllers], ids=lambda app: app.name)
@pytest.mark.parametrize(
    "context", list(contexts()), ids=["embedded", "embedded with more", "cluster", "cluster with more"]
)
async def test_a_manager_may_watch_what_its_controllers_watch(app: App, context: Context) -> None:
    controllers = import_module(app.controllers).app_controllers(context)
    watched = watched_kinds(controllers)

    assert watched
    assert watched <= {(group, resource) for verb, group, resource in permissions(app) if verb == "watch"}


def test_a_manager_reads_and_writes_what_runs_of_pipelines_need() -> None:
    granted = permissions(PIPELINES)

    for needed in (
        *((verb, "kubeflow.org", "scheduledworkflows") for verb in ("get", "list", "watch")),
        ("patch", "kubeflow.org", "scheduledworkflows/status"),
        ("get", "argoproj.io", "workflows"),
        ("update", "argoproj.io", "workflows/finalizers"),
        ("get", "", "pods/log"),
        ("get", "", "configmaps"),
        ("get", "", "secrets"),
    ):
        assert needed in granted, needed
    assert {verb for verb, _, resource in granted if resource in ("configmaps", "secrets")} == {"get"}


def test_no_right_is_for_everything() -> None:
    for verb, group, resource in permissions(*all_apps()) | permissions_of(scheduler_rules()):
        assert "*" not in (verb, group, resource)
        if (verb, resource) != ("impersonate", "serviceaccounts"):  # steps of Workflows act with their account's rights
            assert verb not in ("deletecollection", "escalate", "bind", "impersonate")
        assert resource != "clusterroles"
    assert {resource for _, _, resource in permissions(TRAINING, JOBSET, TRAINER)}.isdisjoint({"nodes", "namespaces"})


def test_nodes_and_namespaces_are_looked_at_and_never_changed() -> None:
    everything = permissions(TRAINING, VOLCANO) | permissions_of(scheduler_rules())

    assert {verb for verb, _, resource in everything if resource in ("nodes", "namespaces")} == {"get", "list", "watch"}


def test_the_scheduler_reads_one_config_map_and_no_secret() -> None:
    (rule,) = [rule for rule in scheduler_rules() if "configmaps" in rule["resources"]]

    assert rule["resourceNames"] == [configured.NAME]
    assert not [resource for _, _, resource in permissions_of(scheduler_rules()) if resource == "secrets"]


def test_secrets_are_made_and_never_changed_or_removed() -> None:
    found = {verb for verb, _, resource in permissions(TRAINING, JOBSET, TRAINER) if resource == "secrets"}

    assert found == {"create", "list", "watch"}


def test_people_get_the_roles_of_kubeflow() -> None:
    roles = {role["metadata"]["name"]: role for role in of_kind(parts("operator", "", ""), "ClusterRole")}

    assert {"kubeflow-training-admin", "kubeflow-training-edit", "kubeflow-training-view"} <= set(roles)
    assert roles["kubeflow-training-admin"]["aggregationRule"]
    assert all("kubernetes.io/bootstrapping" not in role["metadata"]["labels"] for role in roles.values())


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
