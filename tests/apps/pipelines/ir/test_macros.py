"""Macros in parameters."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.ir.macros import expand_macros

NOW = 1767225845.123456  # 2026-01-01 00:04:05 UTC
SCHEDULED = 1767186000.0  # 2025-12-31 13:00:00 UTC


@pytest.mark.parametrize(
    ("value", "expanded"),
    [
        ("plain", "plain"),
        ("[[RunUUID]]", "run-1"),
        ("a [[RunUUID]]/[[Index]] b", "a run-1/7 b"),
        ("[[CurrentTime]]", "20260101000405"),
        ("[[ScheduledTime]]", "20251231130000"),
        ("[[CurrentTime.2006-01-02]]", "2026-01-01"),
        ("[[ScheduledTime.15-04-05]]", "13-00-00"),
        ("[[ScheduledTime.Mon Jan _2 3:04PM 06]]", "Wed Dec 31 1:00PM 25"),
        ("[[ScheduledTime.Monday, January 2 2006 MST -0700 Z07:00]]", "Wednesday, December 31 2025 UTC +0000 Z"),
        ("[[CurrentTime.05.000]]", "05.123"),
        ("[[CurrentTime.2006002]]", "2026001"),
        ("{{$.currentTime.strftime('%Y/%m/%d')}}", "2026/01/01"),
        ("{{$.scheduledTime.strftime('%H:%M %% %j')}}", "13:00 % 365"),
        ("{{$.currentTime.strftime('%099999d %Q')}}", "%099999d %Q"),
        ("[[Unknown]] [[ RunUUID ]] [[RunUUID.x]]", "[[Unknown]] [[ RunUUID ]] [[RunUUID.x]]"),
        (3, 3),
        (["[[RunUUID]]"], ["[[RunUUID]]"]),
    ],
)
def test_a_macro_is_replaced_in_strings(value: Any, expanded: Any) -> None:
    assert expand_macros(value, run_id="run-1", now=NOW, scheduled=SCHEDULED, index=7) == expanded


@pytest.mark.parametrize(
    "value", ["[[Index]]", "[[ScheduledTime]]", "[[ScheduledTime.2006]]", "{{$.scheduledTime.strftime('%Y')}}"]
)
def test_macros_of_recurring_runs_stay_in_other_runs(value: str) -> None:
    assert expand_macros(value, run_id="run-1", now=NOW) == value


@given(st.text(alphabet="[]{}$.'%RunUIDdexCrtTimeSchl02", max_size=60))
def test_any_text_can_be_expanded(text: str) -> None:
    assert isinstance(expand_macros(text, run_id="r", now=NOW, scheduled=SCHEDULED, index=1), str)
