"""Managers of every configuration that changes which controllers run, and the kinds that their controllers watch."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, cast

from prometheus_client import CollectorRegistry

from windlass.apps.notebooks.options import Options as NotebookOptions
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.profiles.options import Options as ProfileOptions
from windlass.controllers.context import Context
from windlass.kube.api import Runtime
from windlass.kube.cache import Store
from windlass.kube.controller import Acting, AnyController, Controller
from windlass.kube.faults import Faults
from windlass.kube.kind import KINDS
from windlass.kube.queue import Queue
from windlass.kube.view import View, view


def contexts() -> Iterator[Context]:
    everything = frozenset(KINDS)
    for is_embedded in (True, False):
        served = frozenset() if is_embedded else everything
        yield Context(is_embedded=is_embedded, served=served)
        yield Context(
            is_embedded=is_embedded,
            served=served,
            options=(
                NotebookOptions(enable_culling=True),
                PipelineOptions(database_url="sqlite://"),
                ProfileOptions(gateway_namespace="windlass"),
            ),
        )


class RecordingRuntime:
    """Notes which kinds a service watches. None of its work is done."""

    def __init__(self) -> None:
        self.api = cast(Any, None)
        self.registry = CollectorRegistry()
        self.faults = Faults()
        self.watched: set[tuple[str, str]] = set()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def queue(self, name: str) -> Queue[Any]:
        return Queue()

    def work(self, *work: Any) -> None:
        pass

    def store(self, of: View[Any]) -> Store[Any]:
        self.watched.add((of.kind.group, of.kind.plural))
        return Store()

    def follow(self, of: View[Any], sink: Any) -> Any:
        self.watched.add((of.kind.group, of.kind.plural))
        return lambda: None


def watched_kinds(controllers: Iterable[AnyController]) -> set[tuple[str, str]]:
    """API group and plural of every kind that these controllers watch."""
    runtime = RecordingRuntime()
    for controller in controllers:
        if isinstance(controller, Controller | Acting):
            sources = (controller.kind, *controller.owns, *(source for source, _ in controller.watches))
            runtime.watched |= {(view(source).kind.group, view(source).kind.plural) for source in sources}
        else:
            controller.start(cast(Runtime, runtime))
    return runtime.watched
