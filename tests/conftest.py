"""Fixtures that every test may use: one server per test process, and what to skip where kubectl is missing."""

import os
import random
from collections.abc import Iterator

import hypothesis
import pytest

from tests.durations import Durations
from tests.gateway.shared_platforms import editor as editor
from tests.gateway.shared_platforms import lone_platform as lone_platform
from tests.gateway.shared_platforms import owner as owner
from tests.gateway.shared_platforms import platform as platform
from tests.gateway.shared_platforms import stranger as stranger
from tests.guard import keep_watch_over_run
from tests.kube.live import bare_server as bare_server
from tests.kube.live import client as client
from tests.kube.live import room as room
from tests.support import KUBECTL, OLDEST_KUBECTL, Windlass, eventually, running
from windlass.kube.signals import keep_ignored_from_children

# A gateway is started by the tests that are about it; several platforms at once could not share its usual port.
os.environ["WINDLASS_NO_GATEWAY"] = "true"

# The process that runs the tests may ignore SIGINT (a background job, some CI): what the tests start must not.
keep_ignored_from_children()

# One seed for all workers, another one for each run: sets that name the cases of a test have the same order in each
# worker, which xdist insists on, and code that depends on the order of a set is found by and by.
os.environ.setdefault("PYTHONHASHSEED", str(random.randrange(2**32)))

# A change is judged by the same examples each time; HYPOTHESIS_PROFILE=explore looks for new ones.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


LONGEST_FIRST = ("e2e", "ui", "docs", "cli", "benchmarks", "node", "packaging", "test_guard.py", "gateway")
"""Rooms whose files take long: what is short is left for the end, where no process of tests waits for another."""


def pytest_configure(config: pytest.Config) -> None:
    keep_watch_over_run(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations(config))


def pytest_report_header() -> str:
    return f"PYTHONHASHSEED={os.environ['PYTHONHASHSEED']}"


def _room(item: pytest.Item) -> int:
    room = item.nodeid.removeprefix("tests/").partition("/")[0]
    return LONGEST_FIRST.index(room) if room in LONGEST_FIRST else len(LONGEST_FIRST)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for marker in metafunc.definition.iter_markers("parametrize"):
        if any(isinstance(given, set | frozenset) for given in (*marker.args, *marker.kwargs.values())):
            pytest.fail(
                f"{metafunc.definition.nodeid}: cases in a set have another order in each process", pytrace=False
            )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_room)
    if KUBECTL is None:
        for item in items:
            if item.get_closest_marker("kubectl"):
                item.add_marker(pytest.mark.skip(reason=f"there is no kubectl 1.{OLDEST_KUBECTL} or newer on the PATH"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    """An API server with its controllers, shared by the tests of one process: use a namespace of your own."""
    with running(tmp_path_factory.mktemp("windlass"), manager=True) as windlass:
        yield windlass


@pytest.fixture
def namespace(server: Windlass, request: pytest.FixtureRequest) -> Iterator[str]:
    """A fresh namespace in which pods may be made, deleted afterwards."""
    made = server.create(
        "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "test-"}}
    )
    name = made["metadata"]["name"]
    account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
    if server.manager:
        eventually(lambda: server.request("GET", account).status == 200, 120, f"the service account of {name}")
    yield name
    server.request("DELETE", f"/api/v1/namespaces/{name}")
