"""Every code of a reason that the gateway sends has words in the dashboard's Chinese catalogue."""

import re

from tests.ui.conftest import UI
from windlass.apis.assumptions import WORDS as ASSUMPTIONS
from windlass.apis.reason_text import CONDITION_REASONS, NODE_CAUSES
from windlass.gateway.views.fixes import EVENT_FIXES, NODE_FIXES, REASON_FIXES
from windlass.scheduler.explain.answer import FREE_ROOM, NO_ROOM

CATALOGUE = (UI / "src" / "words" / "zh" / "reasonCodes.ts").read_text()


def table(name: str) -> dict[str, str]:
    (body,) = re.findall(rf"export const {name}: [^{{]*{{\n(.*?)^}};", CATALOGUE, re.M | re.S)
    return dict(re.findall(r'^  (\w+): "(.*)",$', body, re.M))


def test_every_fix_is_translated_and_names_the_same() -> None:
    english = {cause: text for cause, (_, text) in {**NODE_FIXES, **EVENT_FIXES, **REASON_FIXES}.items()}

    assert table("FIXES").keys() == english.keys()
    assert {cause for cause, text in table("FIXES").items() if ("{0}" in text) != ("{0}" in english[cause])} == set()


def test_every_cause_of_a_node_is_translated_and_names_the_same() -> None:
    chinese = table("NODE_CAUSES")

    assert chinese.keys() == NODE_CAUSES.keys()
    for code, text in NODE_CAUSES.items():
        assert re.findall(r"{\d}", chinese[code]) == re.findall(r"{\d}", text), code


def test_every_reason_of_a_container_or_a_gang_has_a_word() -> None:
    assert {*EVENT_FIXES, *CONDITION_REASONS.values()} <= table("CODES").keys()


def test_every_type_of_a_reason_is_put_into_words() -> None:
    types = set(re.findall(r'type: "(\w+)";', (UI / "src" / "kinds" / "generated.ts").read_text()))
    words = (UI / "src" / "words" / "zh" / "reasonText.ts").read_text()

    reasons = set(re.findall(r'case "(\w+)"', words))
    assert len(reasons) > 20
    assert types - reasons == set(), "add a sentence for each"


def test_everything_that_a_forecast_takes_for_granted_is_translated_and_names_the_same() -> None:
    chinese = table("ASSUMPTIONS")

    assert chinese.keys() == ASSUMPTIONS.keys()
    for code, (_, several) in ASSUMPTIONS.items():
        assert re.findall(r"{\d}", chinese[code]) == re.findall(r"{\d}", several), code


def test_why_nothing_makes_room_is_translated() -> None:
    assert table("NO_ROOM").keys() == {FREE_ROOM, NO_ROOM}
