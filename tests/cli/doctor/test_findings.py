"""What is found from which facts, and that each finding says what to do."""

import pytest

from windlass.cli.doctor.findings import CHECKS, ConnectorFacts, Facts, NodeFacts, ProfileFacts, UserFacts, findings

HOME = "~/windlass"
NOBODY = UserFacts(email="ann@example.com")
TIME = 1_800_000_000.0


@pytest.mark.parametrize(
    ("facts", "check", "problem", "advice"),
    [
        (Facts(is_running=False, data_dir=HOME), "running", "not running on ~/windlass", "windlass up --detach"),
        (Facts(stopped_components=("manager",)), "components", "manager does not run", "windlass logs manager"),
        (Facts(api_problem="the server does not answer"), "api", "does not answer", "windlass logs server"),
        (Facts(has_gateway=False), "gateway", "nobody can sign in", "without --no-gateway"),
        (
            Facts(gateway_problem="Connection refused", gateway_url="http://127.0.0.1:8080"),
            "gateway",
            "http://127.0.0.1:8080: Connection refused",
            "gateway.log",
        ),
        (
            Facts(has_published_password=True, gateway_host="0.0.0.0"),
            "password",
            "12341234, and the gateway listens on 0.0.0.0",
            "windlass user passwd user@example.com",
        ),
        (
            Facts(connectors=(ConnectorFacts(id="staff", problem="refused"), ConnectorFacts(id="hub")), data_dir=HOME),
            "connectors",
            "the connector staff does not answer: refused",
            "~/windlass/users.yaml",
        ),
        (
            Facts(users_file_warnings=("connectors[0].config.color is not known",), data_dir=HOME),
            "users",
            "connectors[0].config.color is not known",
            "~/windlass/users.yaml",
        ),
        (Facts(users_problem="users.yaml: not YAML"), "users", "users.yaml: not YAML", "keeps what it had"),
        (
            Facts(users=(NOBODY,), profiles=()),
            "profiles",
            "ann@example.com has no profile",
            "windlass profile create NAME --owner ann@example.com",
        ),
        (
            Facts(profiles=(ProfileFacts(name="ml", failure="the namespace has another owner"),)),
            "profiles",
            "profile ml failed: the namespace has another owner",
            "kubectl describe profile ml",
        ),
        (Facts(nodes=()), "nodes", "no pod can run", "without --no-node"),
        (
            Facts(nodes=(NodeFacts(name="vm", problem="Kubelet stopped posting node status."),)),
            "nodes",
            "vm is not ready: Kubelet stopped",
            "windlass logs node",
        ),
        (Facts(disk_free=9 << 30, disk_total=100 << 30), "disk", "9.0 GiB (9%)", "windlass images prune"),
        (Facts(disk_free=1 << 29, disk_total=1 << 30), "disk", "0.5 GiB (50%)", "windlass images prune"),
        (Facts(now=TIME, newest_use=TIME + 301), "clock", "behind by at least 301 s", "timedatectl"),
    ],
)
def test_one_thing_wrong_is_found_alone(facts: Facts, check: str, problem: str, advice: str) -> None:
    [found] = findings(facts)

    assert found.check == check
    assert problem in found.problem
    assert advice in found.advice


@pytest.mark.parametrize(
    "facts",
    [
        Facts(),
        Facts(has_published_password=True, gateway_host="127.0.0.1"),
        Facts(has_published_password=True, gateway_host="::1"),
        Facts(users=(UserFacts(email="ann@example.com", namespaces=("ml",)),), profiles=(ProfileFacts(name="ml"),)),
        Facts(users=(NOBODY,), profiles=None),
        Facts(nodes=(NodeFacts(name="vm"),)),
        Facts(disk_free=10 << 30, disk_total=100 << 30),
        Facts(now=TIME, newest_use=TIME + 299),
    ],
)
def test_what_is_well_is_not_reported(facts: Facts) -> None:
    assert findings(facts) == []


def test_what_others_follow_from_comes_first() -> None:
    wrong = Facts(is_running=False, newest_use=TIME, disk_free=0, nodes=())

    assert [one.check for one in findings(wrong)] == ["running", "nodes", "disk", "clock"]
    assert len(CHECKS) == len(set(CHECKS))
