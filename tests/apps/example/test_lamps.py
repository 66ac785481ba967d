"""The example of docs/developers.md: a folder and a name in `APPS` are all that an app needs."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import Windlass, eventually, free_port

HERE = Path(__file__).parent
PROGRAM = HERE / "windlass_with_lamps.py"
LAMPS = "/apis/home.example.com/v1/namespaces/default/lamps"


class WithLamps(Windlass):
    PROGRAM = (str(PROGRAM),)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    """A server and a manager with the app."""
    server = WithLamps(tmp_path_factory.mktemp("lamps") / "data", free_port(), manager=True)
    server.data_dir.mkdir()
    try:
        server.start()
        yield server
    finally:
        server.stop()


def printed(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True).stdout


def evaluated(program: str) -> str:
    """The output of a program in a process with the app."""
    added = f"import sys; sys.path.insert(0, {str(HERE)!r}); import windlass_with_lamps; "
    return printed("-c", added + program).strip()


def a_lamp(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "home.example.com/v1", "kind": "Lamp", "metadata": {"name": name}, "spec": spec}


def test_a_server_serves_the_definition_and_runs_the_admission(server: Windlass) -> None:
    assert server.create(LAMPS, a_lamp("desk"))["spec"]["brightness"] == 50

    refused = server.request("POST", LAMPS, a_lamp("sun", brightness=101))
    assert refused.status == 403
    assert "spec.brightness: Invalid value: 101: must be 0 to 100" in refused.json()["message"]


def test_a_server_has_the_roles_of_users(server: Windlass) -> None:
    role = server.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/kubeflow-lamps-edit")

    assert ["lamps"] in [rule["resources"] for rule in role["rules"]]


def test_a_manager_runs_the_controller(server: Windlass) -> None:
    server.create(LAMPS, a_lamp("floor"))

    eventually(lambda: server.get(f"{LAMPS}/floor").get("status", {}).get("isOn"), what="a lamp that is on")
    service = server.get("/api/v1/namespaces/default/services/floor")
    assert service["metadata"]["ownerReferences"][0]["kind"] == "Lamp"


def test_the_manifests_install_it_on_a_cluster() -> None:
    objects: list[Any] = list(yaml.load_all(printed(str(PROGRAM), "manifests", "--lamps"), Loader=yaml.CSafeLoader))
    by_name = {(obj["kind"], obj["metadata"]["name"]): obj for obj in objects}
    [container] = by_name["Deployment", "windlass-manager"]["spec"]["template"]["spec"]["containers"]
    rules = by_name["ClusterRole", "windlass-manager"]["rules"]

    assert ("CustomResourceDefinition", "lamps.home.example.com") in by_name
    assert ("MutatingWebhookConfiguration", "defaulter.home.example.com") in by_name
    assert ("ValidatingWebhookConfiguration", "validator.home.example.com") in by_name
    assert ("ClusterRole", "kubeflow-lamps-edit") in by_name
    assert container["args"][0].endswith(",lamp")
    assert [rule["verbs"] for rule in rules if "lamps" in rule["resources"]] == [["delete", "list", "patch", "watch"]]


def test_the_gateway_has_an_entrance_to_its_objects() -> None:
    program = "from windlass.apps import all_apps; print(*(e.prefix for app in all_apps() for e in app.entrances))"

    assert "lamp" in evaluated(program).split()


def test_the_gateway_serves_its_routes() -> None:
    program = "from windlass.gateway.contributions import all_contributions; "
    program += "print(*(group.__module__ for each in all_contributions() for group in each.routes))"

    assert "windlass.apps.lamps.web.routes" in evaluated(program).split()


def test_an_environment_variable_sets_its_option() -> None:
    program = "from windlass.apis.options import read; from windlass.apps.lamps.app import APP; "
    program += "print(read(APP.options, {'LAMP_PORT': '8000'}, flags={}).port)"

    assert evaluated(program) == "8000"


def test_the_command_line_has_its_command() -> None:
    assert "Say how bright a lamp may be." in printed(str(PROGRAM), "--help")
    assert printed(str(PROGRAM), "lamps") == "0 to 100\n"
