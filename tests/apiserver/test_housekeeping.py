"""What the server does on its own about its objects."""

import pytest

from windlass.apiserver.housekeeping import last_written

OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-01T09:00:00Z"


@pytest.mark.parametrize(
    ("metadata", "written"),
    [
        ({"creationTimestamp": OLD}, OLD),
        (
            {"creationTimestamp": OLD, "managedFields": [{"manager": "a", "time": NEW}, {"manager": "b", "time": OLD}]},
            NEW,
        ),
        ({"creationTimestamp": NEW, "managedFields": [{"manager": "a"}]}, NEW),
    ],
)
def test_an_event_lives_on_from_its_last_write(metadata: dict[str, object], written: str) -> None:
    assert last_written({"metadata": metadata, "lastTimestamp": "1999-01-01T00:00:00Z"}) == written
