"""Texts of users that took far longer than their length, or raised an error of another kind: refused at once."""

import contextlib
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from windlass.apiserver.crds.formats import FORMATS
from windlass.apps.pipelines.argo.times import seconds_of
from windlass.apps.volcano.controllers.job.durations import parse_duration
from windlass.formats.patterns import BadPattern, check, matches
from windlass.gateway.proxy.routing.routes import duration
from windlass.kube import cron, json, jsonpath
from windlass.kube.patch import PatchError, json_patch
from windlass.kube.quantity import SUFFIX_ERROR, Quantity
from windlass.scheduler.model.parsing import duration_of

DEEP: Any = 1
for _ in range(150):
    DEEP = {"a": [DEEP]}
COPIES = [{"op": "copy", "from": "/a", "path": f"/a/b{number}"} for number in range(60)]
REFUSED: dict[str, tuple[Callable[[], Any], type[Exception]]] = {
    "path": (lambda: jsonpath.compile_path("[?(@" + " " * 100_000 + "x"), ValueError),
    "schedule": (lambda: cron.parse(",".join(["*"] * 500_000) + " * * * *"), cron.BadSchedule),
    "schedule with seconds": (
        lambda: cron.parse_with_seconds(",".join(["*"] * 500_000) + " * * * * *"),
        cron.BadSchedule,
    ),
    "quantity": (lambda: Quantity.parse("1e" + "9" * 5_000), ValueError),
    "copies": (lambda: json_patch.apply({"a": {"x": "y"}}, COPIES), PatchError),
    "index": (lambda: json_patch.apply({"a": [1]}, [{"op": "remove", "path": "/a/" + "1" * 5_000}]), PatchError),
    "nested pattern": (lambda: check("(" * 10_000 + ")" * 10_000), BadPattern),
    "repeated pattern": (lambda: check("((a{1000}){1000}){1000}"), BadPattern),
    "pattern of alternatives": (lambda: matches("(.|.){400}!!" * 50, "a" * 100_000), BadPattern),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_text_is_refused_at_once(name: str) -> None:
    use, error = REFUSED[name]
    begin = time.process_time()
    with pytest.raises(error):
        use()
    assert time.process_time() - begin < 2


def test_a_path_that_multiplies_values_ends() -> None:
    begin = time.process_time()
    values = jsonpath.compile_path("$" + "..*" * 12)(DEEP)
    assert len(values) <= jsonpath.MAX_VALUES
    assert time.process_time() - begin < 10


@pytest.mark.parametrize("text", ["1" * 1_000_000, "1" * 1_000_000 + "x", "1.5h" * 200_000 + "x"])
def test_a_long_text_is_no_duration(text: str) -> None:
    begin = time.process_time()
    assert not FORMATS["duration"](text)
    assert time.process_time() - begin < 2


def has_ended(read: Callable[[str], Any], text: str) -> bool:
    """Whether a reader refuses a text, or takes it for none, within two seconds."""
    begin = time.process_time()
    with contextlib.suppress(ValueError):
        assert read(text) is None
    return time.process_time() - begin < 2


@pytest.mark.parametrize("text", ["9" * 500_000, "9" * 500_000 + "!", "9." * 250_000, "1h" * 250_000 + "!"])
@pytest.mark.parametrize("read", [Quantity.parse, parse_duration, seconds_of, duration_of, duration])
def test_the_time_of_digits_grows_with_their_number_only(read: Callable[[str], Any], text: str) -> None:
    if read is not duration_of or not text.isdigit():  # which is a number of seconds
        assert has_ended(read, text)


@pytest.mark.parametrize("schedule", ["@every 2562047h", "0 0 30 2 *", "* * * * *"])
def test_no_schedule_goes_on_beyond_the_last_year(schedule: str) -> None:
    assert cron.parse(schedule).after(datetime(9999, 12, 31, 23, 59, tzinfo=UTC)) is None


def test_a_quantity_with_a_long_exponent_has_kubernetes_words() -> None:
    with pytest.raises(ValueError, match=SUFFIX_ERROR[:20].replace("(", r"\(")):
        Quantity.parse("1e" + "9" * 5_000)


# --- JSON

NESTED = ["[" * 100_000, '{"a":' * 100_000, "[" * 201 + "]" * 201, '{"a":' * 201 + "1" + "}" * 201]


@pytest.mark.parametrize("text", NESTED)
@pytest.mark.parametrize("as_bytes", [True, False])
def test_nested_json_is_refused(text: str, as_bytes: bool) -> None:
    with pytest.raises(json.BadJson, match="nested deeper than 200 levels"):
        json.parse(text.encode() if as_bytes else text)


def test_json_at_the_limit_and_json_with_many_brackets_are_read() -> None:
    for text in ("[" * 200 + "]" * 200, "[" + ",".join(["[{}]"] * 1_000) + "]", '"' + "[" * 1_000 + '"'):
        assert json.parse(text) == msgspec.json.decode(text)


@pytest.mark.parametrize("text", ["", "{", "[1,]", b"\xff", '"\ud800"', "1e999", "1" * 5_000])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(json.BadJson):
        json.parse(text)
