"""What a reader at any position of a feed lacks, and what a page is sent of it."""

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from windlass.gateway.live import feeds
from windlass.gateway.live.entries import Entry, EntryView, Selection, selection
from windlass.gateway.live.feeds import Feed
from windlass.kube.errors import NotFound, ServiceUnavailable
from windlass.kube.kind import Kind
from windlass.kube.meta import Key

MAPS = Kind(group="", version="v1", name="ConfigMap", plural="configmaps")
VIEW = EntryView(MAPS)
ALL = Selection()
TEAM_A = selection(MAPS, "", "team=a", "")


def entry(name: str, uid: str = "", version: int = 1, team: str = "a", **metadata: Any) -> Entry:
    about = {"name": name, "namespace": "n", "uid": uid or name, "resourceVersion": str(version)}
    body = {"metadata": {**about, "labels": {"team": team}, **metadata}, "data": {"v": str(version)}}
    return VIEW.decode(json.dumps(body).encode())


def synced(*entries: Entry) -> Feed:
    feed = Feed(MAPS, "n", itertools.count(1))
    feed.replace(entries)
    feed.reached("1")
    return feed


def names(found: list[Entry]) -> list[str]:
    return [each.metadata.name for each in found]


def test_an_entry_is_the_object_without_what_nobody_reads() -> None:
    applied = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    made = entry("one", managedFields=[{"manager": "x"}], annotations={**applied, "kept": "yes"})

    shown = json.loads(made.json)
    assert (shown["apiVersion"], shown["kind"]) == ("v1", "ConfigMap")
    assert shown["metadata"]["annotations"] == {"kept": "yes"}
    assert "managedFields" not in shown["metadata"]


def test_many_changes_of_an_object_are_one() -> None:
    feed = synced(entry("one"))
    position = feed.newest
    for version in range(2, 50):
        feed.put(entry("one", version=version))

    lacking = feed.since(position, ALL)

    assert [json.loads(each.json)["data"]["v"] for each in lacking.changed] == ["49"]
    assert lacking.removed == []


def test_an_object_made_and_deleted_in_between_is_not_mentioned() -> None:
    feed = synced()
    position = feed.newest
    feed.put(entry("short"))
    feed.remove(Key("n", "short"))

    assert feed.since(position, ALL) == feeds.Difference([], [])


def test_an_object_that_was_made_again_under_its_name_replaces_the_old_one() -> None:
    feed = synced(entry("one", uid="old"))
    position = feed.newest
    feed.replace([entry("one", uid="new", version=5)])

    lacking = feed.since(position, ALL)

    assert ([each.metadata.uid for each in lacking.changed], lacking.removed) == (["new"], ["old"])


def test_objects_of_others_are_not_named_when_they_go() -> None:
    feed = synced(entry("mine", team="a"), entry("other", team="b"))
    position = feed.newest
    feed.remove(Key("n", "mine"))
    feed.remove(Key("n", "other"))

    assert feed.since(position, TEAM_A).removed == ["mine"]


def test_changes_that_are_too_old_are_forgotten() -> None:
    feed = synced()
    position = feed.newest
    for number in range(feeds.MAX_RECORDS + 1):
        feed.put(entry("one", version=number))

    assert not feed.knows(position)
    assert feed.knows(feed.newest)


def test_who_was_sent_the_first_pages_of_a_list_lacks_only_the_rest() -> None:
    feed = Feed(MAPS, "n", itertools.count(1))
    feed.fill([entry("a"), entry("b")])
    position = feed.newest
    feed.fill([entry("c")])
    feed.replace([entry("a"), entry("c"), entry("d")])  # b was on a page of a list that had to begin again
    feed.reached("1")

    assert feed.knows(position)
    lacking = feed.since(position, ALL)
    assert (names(lacking.changed), lacking.removed) == (["c", "d"], ["b"])


def test_a_position_in_an_earlier_feed_is_not_known() -> None:
    numbers = itertools.count(1)
    earlier = Feed(MAPS, "n", numbers)
    earlier.replace([entry("a")])
    earlier.reached("1")
    later = Feed(MAPS, "n", numbers)
    later.fill([entry("b")])
    later.reached("2")

    assert not later.knows(earlier.newest)


def test_a_broken_watch_is_noticed_once_and_its_end_too() -> None:
    feed = synced()
    calls: list[bool] = []
    feed.listeners[lambda: calls.append(feed.stale_since is not None)] = None
    for trouble in (ServiceUnavailable("away"), ServiceUnavailable("away"), None, None, NotFound("gone")):
        feed.mark(trouble)

    assert calls == [True, False, True]


_step = st.tuples(st.sampled_from(["put", "remove", "relist"]), st.integers(0, 4), st.sampled_from("ab"), st.booleans())


@given(steps=st.lists(_step, max_size=40), wanted=st.sampled_from([ALL, TEAM_A]))
def test_a_page_that_reads_at_any_times_ends_with_what_is_there(
    steps: list[tuple[str, int, str, bool]], wanted: Selection
) -> None:
    feed, page, uids = synced(), dict[str, bytes](), itertools.count()
    current: dict[str, str] = {}
    position = feed.newest
    for version, (step, number, team, reads) in enumerate(steps):
        name = f"o{number}"
        if step == "put":
            feed.put(entry(name, current.setdefault(name, f"u{next(uids)}"), version, team))
        else:
            current.pop(name, None)
            kept = [each for each in feed.entries(ALL) if each.metadata.name != name]
            feed.remove(Key("n", name)) if step == "remove" else feed.replace(kept)
        if reads:
            position = _read(feed, position, page, wanted)
    _read(feed, position, page, wanted)

    assert page == {each.metadata.uid: each.json for each in feed.entries(wanted)}


def _read(feed: Feed, position: int, page: dict[str, bytes], wanted: Selection) -> int:
    lacking = feed.since(position, wanted)
    for uid in lacking.removed:
        del page[uid]
    page.update((each.metadata.uid, each.json) for each in lacking.changed)
    return feed.newest
