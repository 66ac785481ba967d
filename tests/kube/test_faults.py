"""What one object breaks costs that object: reported once a version, and the others are served."""

import logging
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.core_v1 import ConfigMap
from windlass.apps.training.frameworks.tensorflow import TFJob
from windlass.kube.cache import Store
from windlass.kube.client import _change
from windlass.kube.delivery import Delivery
from windlass.kube.faults import Faults
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.metrics import Metrics
from windlass.kube.objects import key_of
from windlass.kube.view import metadata_only, typed

CONFIG_MAP = KINDS.of(ConfigMap)


def a_map(name: str = "a", version: int = 1) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="n", uid=name, resource_version=str(version)))


class Warnings:
    def __init__(self) -> None:
        self.told: list[tuple[str, str, str]] = []

    def __call__(self, component: str, about: Any, kind: Kind, reason: str, message: str) -> None:
        self.told.append((str(key_of(about)), reason, message))


def test_a_fault_is_logged_and_told_once_for_each_version_and_counted_each_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    warnings, metrics = Warnings(), Metrics()
    faults = Faults("here", warn=warnings, counter=metrics.faults)

    with caplog.at_level(logging.INFO):
        for version in (1, 1, 1, 2):
            with faults.contain("PodFeed", a_map(version=version), CONFIG_MAP) as attempt:
                raise OverflowError("too large")
            assert attempt.failed

    assert [record.exc_info is not None for record in caplog.records] == [True, True]
    assert "kind=ConfigMap.v1 key=n/a error=OverflowError: too large" in caplog.text
    expected = "PodFeed failed on this object, it is skipped until it changes: OverflowError: too large"
    assert warnings.told == [("n/a", "InternalError", expected)] * 2
    assert (
        metrics.registry.get_sample_value("windlass_object_faults_total", {"place": "PodFeed", "kind": "ConfigMap.v1"})
        == 4
    )
    assert faults.counts["PodFeed", "ConfigMap.v1"] == 4


def test_exits_and_passing_exceptions_are_not_contained() -> None:
    faults = Faults()

    with pytest.raises(KeyboardInterrupt), faults.contain("x", a_map(), CONFIG_MAP):
        raise KeyboardInterrupt
    with pytest.raises(OSError, match="gone"), faults.contain("x", a_map(), CONFIG_MAP, passing=(OSError,)):
        raise OSError("gone")
    assert not faults.counts


def test_an_event_is_recorded_about_no_event() -> None:
    warnings = Warnings()
    event = Kind(group="", version="v1", name="Event", plural="events")

    Faults(warn=warnings).report("x", ValueError("no"), a_map(), event)

    assert warnings.told == []


class Ledger:
    """A handler that keeps the sum of numbers, and reads them before it changes anything."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def added(self, obj: ConfigMap, /) -> None:
        number = int(obj.data["number"])
        assert obj.metadata.name not in self.numbers, "added twice"
        self.numbers[obj.metadata.name] = number

    def changed(self, old: ConfigMap, new: ConfigMap, /) -> None:
        before, after = int(old.data["number"]), int(new.data["number"])
        assert self.numbers[old.metadata.name] == before, "the handler is told of a version that it never accepted"
        self.numbers[new.metadata.name] = after

    def deleted(self, obj: ConfigMap, /) -> None:
        int(obj.data["number"])
        self.numbers.pop(obj.metadata.name, None)


STEPS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["1", "2", "bad", "gone", "resync"])), max_size=20)


@given(STEPS)
def test_a_handler_knows_of_each_object_the_last_version_that_it_accepted(steps: list[tuple[str, str]]) -> None:
    store: Store[ConfigMap] = Store(kind=CONFIG_MAP)
    ledger, expected = Ledger(), dict[str, int]()
    store.subscribe(ledger)
    for version, (name, number) in enumerate(steps):
        if number == "resync":
            store.resync()
        elif number == "gone":
            store.remove(Key("n", name))
            expected.pop(name, None)
        else:
            store.put(msgspec.structs.replace(a_map(name, version), data={"number": number}))
            if number != "bad":
                expected[name] = int(number)

    assert ledger.numbers == expected


def test_nothing_stays_of_an_object_on_which_a_handler_fails_half_way() -> None:
    class HalfWay:
        known: set[str] = set()

        def added(self, obj: ConfigMap, /) -> None:
            self.known.add(obj.metadata.name)
            raise ValueError

        def changed(self, old: ConfigMap, new: ConfigMap, /) -> None: ...

        def deleted(self, obj: ConfigMap, /) -> None:
            self.known.discard(obj.metadata.name)

    handler = HalfWay()
    Delivery(handler, Faults(), CONFIG_MAP).added(a_map())

    assert handler.known == set()


def test_an_object_on_which_an_index_fails_is_filed_nowhere_and_can_go() -> None:
    store: Store[ConfigMap] = Store(kind=CONFIG_MAP)
    store.add_index("number", lambda obj: [str(int(obj.data["number"]))])
    store.put(msgspec.structs.replace(a_map("good"), data={"number": "7"}))

    store.put(msgspec.structs.replace(a_map("bad"), data={"number": "x"}))
    found = store.filed("number", "7")
    store.remove(Key("n", "bad"))

    assert [obj.metadata.name for obj in found] == ["good"]
    assert len(store) == 1


class Line:
    def __init__(self, type: str, body: bytes) -> None:
        self.type, self.object = type, msgspec.Raw(body)


NULL_LABEL = (
    b'{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"a":[]},"finalizers":9}}'
)


@pytest.mark.parametrize("form", [typed(ConfigMap), metadata_only(ConfigMap)], ids=["typed", "metadata"])
@pytest.mark.parametrize(("happened", "gone"), [("ADDED", None), ("DELETED", Key("n", "a"))])
def test_what_cannot_be_decoded_is_skipped_and_its_deletion_is_not(form: Any, happened: str, gone: Key | None) -> None:
    warnings = Warnings()
    faults = Faults(warn=warnings)

    change: Any = _change(form, Line(happened, NULL_LABEL), faults)  # pyright: ignore[reportArgumentType]

    assert (change.object, change.resource_version, change.gone) == (None, "7", gone)
    assert [(key, reason) for key, reason, _ in warnings.told] == [("n/a", "InternalError")]


def test_a_status_that_does_not_fit_is_left_out_and_its_object_is_served() -> None:
    faults = Faults()
    raw = msgspec.json.encode(
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "TFJob",
            "metadata": {"name": "a", "namespace": "n"},
            "spec": {"tfReplicaSpecs": {}},
            "status": {"conditions": [{"status": "True"}]},
        }
    )

    job = typed(TFJob).decode_or_skip(raw, faults)

    assert job is not None
    assert (job.metadata.name, job.status.conditions, faults.counts) == ("a", [], {})
