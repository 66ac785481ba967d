"""Every app, through everything that goes through the list of apps."""

from importlib import import_module

import pytest

from tests.deploy.contexts import contexts
from windlass.apis.admission import Mutation, Validation
from windlass.apis.app import App
from windlass.apiserver.admission.app_rules import app_rules
from windlass.apiserver.auth.bootstrap import default_objects
from windlass.apps import all_apps, definitions
from windlass.cli.main import cli
from windlass.cli.manifests import parts
from windlass.controllers.context import Context
from windlass.deploy.gateway import GatewayOptions
from windlass.deploy.program import labelled
from windlass.kube.controller import Acting, Controller
from windlass.kube.kind import KINDS
from windlass.kube.view import view

EACH = pytest.mark.parametrize("app", all_apps(), ids=lambda app: app.name)
WITH_CONTROLLERS = pytest.mark.parametrize(
    "app", [app for app in all_apps() if app.controllers], ids=lambda app: app.name
)


def test_names_schemes_and_paths_are_of_one_app() -> None:
    for things in (
        [app.name for app in all_apps()],
        [scheme for app in all_apps() for scheme in app.schemes],
        [rule.path for app in all_apps() for rule in app.rules],
        [rule.name for app in all_apps() for rule in app.rules],
        [crd["metadata"]["name"] for crd in definitions()],
    ):
        assert len(things) == len(set(things))


@EACH
def test_its_definitions_are_served_and_installed(app: App) -> None:
    names = {crd["metadata"]["name"] for crd in app.definitions()}
    options = [app.install_option.flag] if app.install_option else []
    with_istio = GatewayOptions(has_istio=True)
    installed = {crd["metadata"]["name"] for crd in parts("crds", "n", "i", options=options, gateway=with_istio)}
    foreign = {name for name in names if name.partition(".")[2] in app.foreign_groups}

    assert names
    assert names - foreign <= installed
    assert not foreign & installed


@EACH
def test_its_rules_run_in_the_server(app: App) -> None:
    class Server:
        registry = None

    plugins = app_rules(Server())  # type: ignore[arg-type] - nothing is written here
    for rule in app.rules:
        place = f"{rule.kind.group}/{rule.kind.plural}"
        for operation in rule.operations:
            assert any(plugin.applies(operation, place, "") for plugin in plugins)
            assert not any(plugin.applies(operation, place, "status") for plugin in plugins)


@EACH
def test_its_rules_are_about_its_own_kinds_or_pods(app: App) -> None:
    own = {(crd["spec"]["group"], crd["spec"]["names"]["plural"]) for crd in app.definitions()}

    for rule in app.rules:
        assert isinstance(rule, Mutation | Validation)
        assert (rule.kind.group, rule.kind.plural) in own | {("", "pods")}


@EACH
def test_editors_write_and_viewers_read_its_kinds_of_a_namespace(app: App) -> None:
    roles = {obj["metadata"]["name"]: obj for obj in default_objects() if obj["kind"] == "ClusterRole"}
    for crd in app.definitions():
        if crd["spec"]["scope"] == "Namespaced":
            for level, verb in (("edit", "list"), ("view", "list")):
                rules = [rule for given in app.user_rules for rule in roles[f"kubeflow-{given.role}-{level}"]["rules"]]
                assert any(
                    crd["spec"]["group"] in rule["apiGroups"]
                    and crd["spec"]["names"]["plural"] in rule["resources"]
                    and verb in rule["verbs"]
                    for rule in rules
                ), (level, crd["metadata"]["name"])


@EACH
def test_its_objects_of_the_start_are_of_kinds_that_are_there(app: App) -> None:
    for provided in app.provided():
        assert KINDS.find(provided.obj["apiVersion"], provided.obj["kind"]) is not None
        assert not provided.renew or provided.renew in provided.obj


@WITH_CONTROLLERS
def test_a_manager_runs_its_controllers_by_each_of_its_schemes(app: App) -> None:
    module = import_module(app.controllers)
    for scheme in app.schemes:
        context = Context(is_embedded=True, schemes=frozenset([scheme]))
        assert module.app_controllers(context), scheme


@WITH_CONTROLLERS
def test_its_controllers_are_about_its_own_kinds(app: App) -> None:
    own = {crd["spec"]["group"] for crd in app.definitions()}
    controllers = [each for context in contexts() for each in import_module(app.controllers).app_controllers(context)]

    groups = {view(each.kind).kind.group for each in controllers if isinstance(each, Controller | Acting)}
    assert groups <= own | {""}


@pytest.mark.parametrize("app", [app for app in all_apps() if app.controllers_declare_rights], ids=lambda app: app.name)
def test_controllers_of_all_configurations_are_all_that_a_manager_may_run(app: App) -> None:
    module = import_module(app.controllers)
    names = {controller.name for context in contexts() for controller in module.app_controllers(context)}

    assert names <= {controller.name for controller in module.controllers_of_all_configurations()}


@EACH
def test_its_flag_and_parts_are_options_of_the_manifests_command(app: App) -> None:
    context = cli.make_context("windlass", ["manifests"], resilient_parsing=True)
    command = cli.get_command(context, "manifests")
    assert command is not None
    flags = {option for parameter in command.params for option in parameter.opts}

    assert app.install_option is None or f"--{app.install_option.flag}" in flags
    for part, objects in app.parts.items():
        assert parts(part, "n", "i") == list(map(labelled, objects()))
