"""What changes do to the keys that failed."""

from typing import Any

import msgspec
import pytest

from windlass.apis.core_v1 import ConfigMap
from windlass.apis.scheduling_volcano_v1beta1 import Queue as VolcanoQueue
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.queue import Queue
from windlass.kube.retrying import Causes, Edits

WEB = Key("n", "web")


def an_object(version: str, **metadata: Any) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name="web", namespace="n", resource_version=version, **metadata))


def taken(queue: Queue[Key]) -> list[Key]:
    return [queue._take() for _ in range(len(queue))]  # pyright: ignore[reportPrivateUsage] - what is in line


@pytest.mark.parametrize(
    ("new", "failures"),
    [
        (an_object("2"), 3),
        (an_object("2", finalizers=["other"]), 3),
        (an_object("2", labels={"a": "b"}), 0),
        (an_object("2", annotations={"a": "b"}), 0),
        (msgspec.structs.replace(an_object("2"), data={"a": "b"}), 0),
    ],
    ids=["nothing that people say", "finalizers", "labels", "annotations", "data"],
)
async def test_an_object_that_was_edited_begins_with_short_delays_again(new: ConfigMap, failures: int) -> None:
    queue: Queue[Key] = Queue(first_delay=60)
    for _ in range(3):
        queue.retry(WEB)
    Edits(queue).changed(an_object("1"), new)

    assert queue.failures(WEB) == failures
    queue.shut_down()


async def test_another_object_of_the_same_name_begins_with_short_delays() -> None:
    queue: Queue[Key] = Queue(first_delay=60)
    queue.retry(WEB)
    Edits(queue).added(an_object("9"))

    assert queue.failures(WEB) == 0
    queue.shut_down()


def a_queue(state: str, allocated: str = "1") -> VolcanoQueue:
    status = {"state": state, "allocated": {"cpu": allocated}}
    return msgspec.convert({"metadata": {"name": "gold"}, "status": status}, VolcanoQueue)


async def test_what_failed_is_tried_again_when_something_changes_that_may_have_been_the_cause() -> None:
    queue: Queue[Key] = Queue(first_delay=60)
    feed = Causes(queue, lambda changed: changed.status.state)
    feed.added(a_queue("Open"))
    assert taken(queue) == []

    queue.retry(WEB)
    feed.changed(a_queue("Open"), a_queue("Open", allocated="2"))
    assert taken(queue) == []
    feed.changed(a_queue("Open"), a_queue("Closed"))
    assert taken(queue) == [WEB]
    feed.deleted(a_queue("Closed"))
    queue.shut_down()
