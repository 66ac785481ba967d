"""Every method of kfp's clients, and every command of its program, works with the server as it is."""

import pytest

from tests.e2e.pipelines.sdk import Kfp

pytestmark = pytest.mark.timeout(300)


def test_every_method_of_the_clients_works(kfp: Kfp) -> None:
    found = kfp.run_stories("kfp2_client_stories.py")

    assert found["client"] == {
        "healthz": True,
        "namespace": kfp.namespace,
        "experiment": True,
        "pipeline": "every",
        "version": "third",
        "versions": ["every", "second", "third"],
        "waited": "SUCCEEDED",
        "state": "SUCCEEDED",
        "runs": ["a package", "a version"],
        "recurring": ["DISABLED", "ENABLED", "DISABLED", "ENABLED", "DISABLED"],
        "recurring runs": ["yearly"],
    }
    assert found["newer"] == {
        "pipeline": "newer",
        "version": "two",
        "pipelines": True,
        "versions": ["one", "two"],
        "runs": [f"by {how} SUCCEEDED" for how in ("function", "name", "object", "version")],
        "of a pipeline": 3,
        "experiment": "newer",
        "experiments": True,
        "callbacks": True,
        "older client": kfp.namespace,
    }


def test_every_command_of_the_program_works(kfp: Kfp) -> None:
    found = kfp.run_stories("kfp2_cli_stories.py")

    assert not found.pop("failures")
    assert "cli" in found.pop("experiments")
    assert "cli" not in found.pop("experiments left")
    assert found == {
        "pipeline": "made by the program",
        "version": "second",
        "versions": ["second", "cli"],
        "listed": ["cli"],
        "experiment": "cli",
        "ended": "SUCCEEDED",
        "runs listed": ["of a name", "of a package", "of a version"],
        "run": {"state": "SUCCEEDED", "name": "x", "times": 2},
        "archived": "ARCHIVED",
        "available": "AVAILABLE",
        "recurring": ["hourly", "yearly"],
        "schedule": "0 0 9 1 1 *",
        "disabled": "DISABLED",
        "enabled": "ENABLED",
        "versions left": ["cli"],
    }
