from collections.abc import Mapping
from typing import Any

import pytest

from windlass.apis import scheduling_kube_batch_v1alpha1 as kube_batch
from windlass.apis.scheduling_volcano_v1beta1 import Queue, QueueSpec, QueueStatus
from windlass.apps.volcano.controllers.names import CLOSED_BY_PARENT
from windlass.apps.volcano.controllers.queues.command_service import obey
from windlass.apps.volcano.controllers.queues.queue_service import Tally
from windlass.apps.volcano.controllers.queues.queue_steps import kube_batch_status, marked, step
from windlass.kube.meta import ObjectMeta

BUSY: Mapping[str, int] = {"Running": 2, "Inqueue": 1, "": 1}
EMPTY: Mapping[str, int] = {}


def a_queue(state: Any = "Open", parent: str = "root", *, by_parent: bool = False, name: str = "q") -> Queue:
    annotations = {CLOSED_BY_PARENT: "true"} if by_parent else {}
    status = QueueStatus(state=state, allocated={"cpu": "3"}, pending=7)
    metadata = ObjectMeta(name=name, annotations=annotations)
    return Queue(metadata=metadata, spec=QueueSpec(parent=parent), status=status)


def test_a_queue_counts_its_groups_by_phase_and_leaves_what_the_scheduler_wrote() -> None:
    groups = {"Running": 2, "Inqueue": 1, "Unknown": 3, "Completed": 4, "": 5}

    status = step(a_queue(), groups, None).status

    assert status == QueueStatus(
        state="Open", allocated={"cpu": "3"}, running=2, inqueue=1, unknown=3, completed=4, pending=0
    )


def test_a_queue_without_parent_is_put_below_root_and_root_below_nothing() -> None:
    assert step(a_queue(parent=""), EMPTY, None).patch == {"spec": {"parent": "root"}}
    assert step(a_queue(parent="", name="root"), EMPTY, None).patch is None


def test_a_new_queue_is_open() -> None:
    assert step(a_queue(None), EMPTY, None).status.state == "Open"


@pytest.mark.parametrize(
    ("state", "groups", "becomes"),
    [
        ("Open", BUSY, "Open"),
        ("Closing", BUSY, "Closing"),
        ("Closing", {"": 1}, "Closing"),
        ("Closing", EMPTY, "Closed"),
        ("Closed", EMPTY, "Closed"),
        ("Closed", BUSY, "Closed"),
        ("Unknown", BUSY, "Unknown"),
    ],
)
def test_a_closing_queue_is_closed_when_its_last_group_is_gone(
    state: str, groups: Mapping[str, int], becomes: str
) -> None:
    assert step(a_queue(state), groups, a_queue()).status.state == becomes


@pytest.mark.parametrize("parent", ["Closing", "Closed"])
@pytest.mark.parametrize(("groups", "becomes"), [(BUSY, "Closing"), (EMPTY, "Closed")])
def test_a_queue_is_marked_and_then_closed_with_its_parent(
    parent: str, groups: Mapping[str, int], becomes: str
) -> None:
    first = step(a_queue(), groups, a_queue(parent))
    second = step(a_queue(by_parent=True), groups, a_queue(parent))

    assert (first.patch, first.status.state) == (marked(True), "Open")
    assert (second.patch, second.status.state) == (None, becomes)
    assert second.event is not None
    assert second.event.reason == "CloseQueue"


def test_a_queue_that_was_closed_before_its_parent_is_not_marked() -> None:
    found = step(a_queue("Closed"), EMPTY, a_queue("Closed"))

    assert (found.patch, found.status.state) == (None, "Closed")


def test_opening_a_parent_opens_those_that_it_closed_and_then_unmarks_them() -> None:
    first = step(a_queue("Closed", by_parent=True), EMPTY, a_queue("Open"))
    second = step(a_queue("Open", by_parent=True), EMPTY, a_queue("Open"))
    other = step(a_queue("Closed"), EMPTY, a_queue("Open"))

    assert (first.patch, first.status.state) == (None, "Open")
    assert second.patch == marked(False)
    assert (other.patch, other.status.state) == (None, "Closed")


def test_a_queue_of_kube_batch_has_counts_only() -> None:
    found = kube_batch_status(kube_batch.Queue(), {"Pending": 1, "Running": 2, "Unknown": 3})

    assert found == kube_batch.QueueStatus(pending=1, running=2, unknown=3)


def a_group(queue: str, phase: str = "") -> dict[str, Any]:
    return {"spec": {"queue": queue}, "status": {"phase": phase} if phase else {}}


def test_the_tally_follows_groups_and_tells_whose_counts_changed() -> None:
    told: list[str] = []
    tally = Tally(told.append)
    first, moved = a_group("a", "Pending"), a_group("a", "Running")

    tally.added(first)
    tally.added(a_group("a"))
    tally.changed(first, moved)
    tally.changed(moved, a_group("a", "Running"))  # nothing that counts
    tally.added({"spec": {}})
    tally.deleted(a_group("a"))

    assert tally.of("a") == {"Running": 1}
    assert tally.of("default") == {"": 1}
    assert tally.of("b") == {}
    assert told == ["a", "a", "a", "a", "default", "a"]


@pytest.mark.parametrize(
    ("action", "queue", "parent", "groups", "state", "reason", "warns"),
    [
        ("CloseQueue", a_queue(), a_queue(), True, "Closing", "CloseQueue", False),
        ("CloseQueue", a_queue(), None, False, "Closed", "CloseQueue", False),
        ("CloseQueue", a_queue(None), None, False, "Closed", "CloseQueue", False),
        ("CloseQueue", a_queue(name="root"), None, False, "", "CloseQueue", True),
        ("OpenQueue", a_queue("Closed"), a_queue(), False, "Open", "OpenQueue", False),
        ("OpenQueue", a_queue("Closing"), a_queue(), True, "Open", "OpenQueue", False),
        ("OpenQueue", a_queue("Closed"), a_queue("Closed"), False, "", "OpenQueue", True),
        ("AbortJob", a_queue(), None, False, "", "InvalidCommand", True),
    ],
)
def test_what_a_command_does_to_its_queue(
    action: str, queue: Queue, parent: Queue | None, groups: bool, state: str, reason: str, warns: bool
) -> None:
    answer = obey(action, queue, parent, has_groups=groups)

    assert answer is not None
    assert (answer.state, answer.event.reason, answer.event.warning) == (state, reason, warns)


@pytest.mark.parametrize(("action", "state"), [("OpenQueue", "Open"), ("CloseQueue", "Closed")])
def test_a_command_to_what_is_so_already_does_nothing(action: str, state: str) -> None:
    assert obey(action, a_queue(state), None, has_groups=False) is None


def test_closing_a_queue_that_its_parent_has_closed_keeps_it_closed_when_that_opens() -> None:
    answer = obey("CloseQueue", a_queue("Closed", by_parent=True), a_queue("Closed"), has_groups=False)

    assert answer is not None
    assert (answer.state, answer.patch) == ("", marked(False))
