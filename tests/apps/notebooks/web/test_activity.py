"""Use of a notebook is written to it, at most once a minute."""

import asyncio
from typing import Any

from windlass.apps.notebooks.web.activity import NotebookActivity
from windlass.kube.errors import NotFound
from windlass.kube.meta import Key

LAB, OTHER = Key("ml", "lab"), Key("ml", "other")


class Written:
    """An API that keeps what is patched."""

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.fails = False

    async def patch(self, kind: Any, key: Key, patch: Any) -> None:
        self.keys.append(key)
        assert "notebooks.kubeflow.org/last-activity" in patch["metadata"]["annotations"]
        if self.fails:
            raise NotFound("gone")


async def test_use_is_written_once_a_minute_for_each_notebook() -> None:
    api: Any = Written()
    now = 0.0
    activity = NotebookActivity(api, lambda: now)
    for key in (LAB, LAB, OTHER):
        activity.record(key)
    await asyncio.sleep(0)
    assert api.keys == [LAB, OTHER]

    now = 59.0
    activity.record(LAB)
    now = 60.0
    activity.record(LAB)
    await asyncio.sleep(0)

    assert api.keys == [LAB, OTHER, LAB]


async def test_a_notebook_that_is_gone_harms_nothing() -> None:
    api: Any = Written()
    api.fails = True
    activity = NotebookActivity(api)
    activity.record(LAB)
    await asyncio.sleep(0)

    assert api.keys == [LAB]
