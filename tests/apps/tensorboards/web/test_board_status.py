"""The phase of a Tensorboard and its reason."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from windlass.apis.core_v1 import Event
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.web.board_status import board_status
from windlass.gateway.proxy.entrances.state import EntranceState

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def a_board(logspath: str = "pvc://logs/run", deleted: str | None = None, **status: Any) -> Tensorboard:
    metadata: dict[str, Any] = {"name": "tb", "creationTimestamp": "2026-01-01T11:00:00Z"}
    if deleted:
        metadata["deletionTimestamp"] = deleted
    return msgspec.convert({"metadata": metadata, "spec": {"logspath": logspath}, "status": status}, Tensorboard)


def a_warning(reason: str, at: str = "2026-01-01T11:59:30Z") -> Event:
    given = {"type": "Warning", "reason": reason, "message": f"because of {reason}", "lastTimestamp": at}
    return msgspec.convert(given, Event)


@pytest.mark.parametrize(
    ("board", "claims", "events", "phase", "message"),
    [
        (a_board(deleted="2026-01-01T11:59:00Z"), ["logs"], [], "terminating", "Deleting"),
        (a_board(readyReplicas=1), ["logs"], [], "ready", "Running"),
        (a_board(readyReplicas=1), ["logs"], [a_warning("NoEventFiles")], "ready", "because of NoEventFiles"),
        (a_board(readyReplicas=1), ["logs"], [a_warning("NoEventFiles", "2026-01-01T11:30:00Z")], "ready", "Running"),
        (a_board(), [], [], "unavailable", "The volume logs does not exist"),
        (a_board("/logs"), [], [], "unavailable", "The volume tb-volume does not exist"),
        (a_board(), None, [], "unavailable", "Starting"),
        (a_board(), ["logs"], [a_warning("ClaimNotFound")], "unavailable", "Starting"),
        (a_board(), None, [a_warning("ClaimNotFound")], "unavailable", "ClaimNotFound: because of ClaimNotFound"),
        (a_board("s3://x"), [], [a_warning("ErrImagePull")], "unavailable", "ErrImagePull: because of ErrImagePull"),
        (a_board("s3://x"), [], [a_warning("Old", "2026-01-01T10:00:00Z")], "unavailable", "Starting"),
    ],
)
def test_phases(board: Tensorboard, claims: list[str] | None, events: list[Event], phase: str, message: str) -> None:
    found = board_status(board, claims, events, NOW)

    assert (found["phase"], found["message"]) == (phase, message)


def test_a_name_conflict_is_a_warning_even_if_a_pod_is_ready() -> None:
    entrance = EntranceState("NameConflict: Service tb belongs to Notebook tb")
    found = board_status(a_board(readyReplicas=1), ["logs"], [], NOW, entrance)

    assert (found["phase"], found["state"]) == ("warning", "NameConflict")


def test_a_board_that_the_proxy_does_not_enter_is_not_ready() -> None:
    found = board_status(a_board(readyReplicas=1), ["logs"], [], NOW, EntranceState(has_address=False))

    assert (found["phase"], found["message"]) == ("unavailable", "Starting")


def test_a_deployment_of_another_owner_is_a_warning() -> None:
    assert board_status(a_board("s3://x"), [], [a_warning("NameConflict")], NOW)["phase"] == "warning"
