"""Runs every scenario as root and as an ordinary user; and what is decided about containers without running any."""

from pathlib import Path

import pytest

from tests.node.runtimes.conftest import User
from tests.node.runtimes.scenario_names import scenario_names
from windlass.node.runtimes.base import ContainerSpec, Mount
from windlass.node.runtimes.process.adapt import TOKEN, adapted, refusal
from windlass.node.runtimes.process.links import variable_of
from windlass.node.runtimes.process.table import Place, Table, translated, translated_environment

_SCENARIOS = Path(__file__).with_name("scenarios.py")


@pytest.mark.parametrize("name", scenario_names(_SCENARIOS))
def test_scenario(user: User, data: Path, name: str) -> None:
    done = user.run(str(_SCENARIOS), name, str(data))

    assert done.returncode == 0, done.stderr + done.stdout


SERVICES = {"10.96.0.1": Place("127.0.0.1", {"443": 6443}), "10.96.3.4": Place("127.96.3.4", {"80": 10080})}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.96.3.4", "127.96.3.4"),
        ("http://10.96.3.4:80/x", "http://127.96.3.4:10080/x"),
        ("http://10.96.3.4:81/x", "http://127.96.3.4:81/x"),
        ("10.96.3.40", "10.96.3.40"),
        ("110.96.3.4", "110.96.3.4"),
        ("10.96.3.4.5", "10.96.3.4.5"),
        ("10.96.0.1:443,10.96.3.4", "127.0.0.1:6443,127.96.3.4"),
    ],
)
def test_addresses_of_services_become_those_that_lead_there(text: str, expected: str) -> None:
    assert translated(text, SERVICES) == expected


def test_the_variables_of_a_service_lead_there_port_and_all() -> None:
    links = {
        "WEB_SERVICE_HOST": "10.96.3.4",
        "WEB_SERVICE_PORT": "80",
        "WEB_SERVICE_PORT_HTTP": "80",
        "WEB_PORT": "tcp://10.96.3.4:80",
        "WEB_PORT_80_TCP_ADDR": "10.96.3.4",
        "WEB_PORT_80_TCP_PORT": "80",
        "WEB_SCALE": "80",
        "OTHER_SERVICE_PORT": "80",
    }

    assert translated_environment(links, SERVICES) == {
        "WEB_SERVICE_HOST": "127.96.3.4",
        "WEB_SERVICE_PORT": "10080",
        "WEB_SERVICE_PORT_HTTP": "10080",
        "WEB_PORT": "tcp://127.96.3.4:10080",
        "WEB_PORT_80_TCP_ADDR": "127.96.3.4",
        "WEB_PORT_80_TCP_PORT": "10080",
        "WEB_SCALE": "80",
        "OTHER_SERVICE_PORT": "80",
    }


def test_what_the_manifest_sets_is_not_changed_by_what_is_reported() -> None:
    spec = ContainerSpec("c", 0, ("true",), {"HOME": "/home/me"}, mounts=(Mount("/v", "/data"), Mount("/t", TOKEN)))

    plain = adapted(spec, "/f", Table(pods={"u": "127.1.0.2"}), uid="u", user=0, group=0)

    assert plain.environment["HOME"] == "/home/me"
    assert plain.environment["WINDLASS_MOUNT_DATA"] == "/v"
    assert plain.environment["WINDLASS_POD_IP"] == "127.1.0.2"
    assert plain.unlinked == (TOKEN,)


def test_files_of_an_image_are_below_the_containers_own_directory() -> None:
    mounts = (Mount("/shipped/run.py", "/opt/run.py", of_image=True), Mount("/v", "/data"))
    spec = ContainerSpec("c", 0, ("python3", "/opt/run.py", "/data", "/opt/run.py.bak"), {}, mounts=mounts)

    plain = adapted(spec, "/f", Table(), uid="u", user=0, group=0)

    assert plain.argv == ("python3", "/f/root/opt/run.py", "/data", "/opt/run.py.bak")
    assert plain.files == {"/opt/run.py": "/shipped/run.py"}
    assert plain.mounts == (Mount("/v", "/data"),)


def test_the_users_wish_of_an_image_is_no_reason_to_refuse_it() -> None:
    assert refusal(ContainerSpec("c", 0, (), {}, user=1000, user_of_image=True), 0, 0) == ""
    assert "runAsUser 1000" in refusal(ContainerSpec("c", 0, (), {}, user=1000), 0, 0)


def test_a_mount_is_reported_by_its_path() -> None:
    assert variable_of("/var/data-1/") == "WINDLASS_MOUNT_VAR_DATA_1"
