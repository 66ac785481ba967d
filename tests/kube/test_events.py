import asyncio
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windlass.kube.client import Client
from windlass.kube.events import BURST, COMBINED, EVENT, WAITING, Correlator, Entry, Occurrence, Recorder, event
from windlass.kube.testing import MemoryServer

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def an_occurrence(message: str = "Created pod a-0", reason: str = "SuccessfulCreate", name: str = "a") -> Occurrence:
    return Occurrence(
        component="job",
        about=("batch/v1", "Job", "ml", name, f"uid-{name}"),
        about_version="7",
        type="Normal",
        reason=reason,
        message=message,
    )


def taken(correlator: Correlator, occurrence: Occurrence, now: datetime = NOW) -> Entry:
    entry = correlator.take(occurrence, now)
    assert entry is not None
    return entry


def test_the_same_event_again_raises_its_count() -> None:
    correlator = Correlator()

    first, second = taken(correlator, an_occurrence()), taken(correlator, an_occurrence(), NOW + timedelta(seconds=5))

    assert (first.count, second.count) == (1, 2)
    assert second.name == first.name
    assert (second.first, second.last) == (NOW, NOW + timedelta(seconds=5))


def test_another_message_is_another_event() -> None:
    correlator = Correlator()

    assert taken(correlator, an_occurrence("a")).count == 1
    assert taken(correlator, an_occurrence("b")).count == 1


def test_many_similar_events_are_combined_into_one() -> None:
    correlator = Correlator()
    entries = [taken(correlator, an_occurrence(f"pod {n}")) for n in range(12)]

    assert [e.message for e in entries[9:]] == ["pod 9", f"{COMBINED}pod 10", f"{COMBINED}pod 11"]
    assert entries[11].name == entries[10].name
    assert entries[11].count == 2


def test_after_ten_quiet_minutes_similar_events_are_told_apart_again() -> None:
    correlator = Correlator()
    for n in range(12):
        correlator.take(an_occurrence(f"pod {n}"), NOW)

    assert taken(correlator, an_occurrence("pod 12"), NOW + timedelta(hours=2)).message == "pod 12"


def test_one_object_cannot_flood_the_server_and_others_are_still_heard() -> None:
    correlator = Correlator()
    written = [correlator.take(an_occurrence(reason=f"R{n}"), NOW) for n in range(BURST + 10)]

    assert sum(entry is not None for entry in written) == BURST
    assert correlator.take(an_occurrence(name="b"), NOW) is not None
    assert correlator.take(an_occurrence(reason="later"), NOW + timedelta(minutes=5)) is not None


def test_an_event_names_its_object_and_who_says_so() -> None:
    body = event(taken(Correlator(), an_occurrence()))

    assert body["involvedObject"] == {
        "apiVersion": "batch/v1", "kind": "Job", "namespace": "ml", "name": "a", "uid": "uid-a", "resourceVersion": "7",
    }  # fmt: skip
    assert body["source"] == {"component": "job"}
    assert (body["firstTimestamp"], body["count"]) == ("2026-01-01T00:00:00Z", 1)


def test_events_about_cluster_scoped_objects_go_to_the_default_namespace() -> None:
    occurrence = Occurrence(
        component="c", about=("v1", "Node", "", "n", "u"), about_version="", type="Normal", reason="R", message="m"
    )

    assert event(taken(Correlator(), occurrence))["metadata"]["namespace"] == "default"


async def test_events_that_are_dropped_are_counted_in_two_lines(caplog: pytest.LogCaptureFixture) -> None:
    server = MemoryServer(lambda: NOW)
    recorder = Recorder(Client(server))
    with caplog.at_level(logging.WARNING, "windlass.kube.events"):
        for number in range(WAITING + 50):
            about: Any = {"metadata": {"name": f"a-{number}", "namespace": "ml", "uid": f"u-{number}"}}
            recorder.record("test", about, EVENT, "Waits", "no node", warning=True)
        running = asyncio.create_task(recorder.run())
        await recorder.flush(60)
        running.cancel()

    assert len(server.objects) == WAITING
    assert [record.getMessage().split(":")[0] for record in caplog.records] == ["dropping events", "dropped 50 events"]


async def test_events_of_a_namespace_are_kept_while_another_has_too_many() -> None:
    server = MemoryServer(lambda: NOW)
    recorder = Recorder(Client(server))
    for number in range(60_000):
        about: Any = {"metadata": {"name": f"a-{number}", "namespace": "many", "uid": f"u-{number}"}}
        recorder.record("test", about, EVENT, "Waits", "no node", warning=True)
    other: Any = {"metadata": {"name": "b", "namespace": "few", "uid": "u"}}
    recorder.record("test", other, EVENT, "Waits", "no node", warning=True)
    running = asyncio.create_task(recorder.run())
    await recorder.flush(60)
    running.cancel()

    events = (await Client(server).list(EVENT)).items
    assert [one["metadata"]["namespace"] for one in events].count("few") == 1
    assert len(events) == WAITING + 1
