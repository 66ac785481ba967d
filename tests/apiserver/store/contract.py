"""What every store of objects promises. A test class inherits `StoreContract` and provides a `store` fixture."""

import asyncio

import pytest

from tests.apiserver.store.builders import collect, fill, names, pod, put, told
from windlass.apiserver.store import Compacted, Store


class StoreContract:
    async def test_what_was_put_can_be_got(self, store: Store) -> None:
        row = await store.put(pod("a"), b"first")

        found = store.get(pod("a"))
        assert found is not None
        assert (found.key, found.rev, found.created_rev, found.value) == (pod("a"), row.rev, row.rev, b"first")

    async def test_each_write_has_the_revision_that_was_announced(self, store: Store) -> None:
        announced = [store.next_revision]
        first = store.put(pod("a"), b"1")
        announced.append(store.next_revision)
        second = store.put(pod("b"), b"2")

        assert [(await first).rev, (await second).rev] == announced
        assert announced[1] == announced[0] + 1
        assert store.revision == announced[1]

    async def test_an_update_keeps_the_revision_of_the_creation(self, store: Store) -> None:
        first = await put(store, pod("a"), b"1")
        second = await put(store, pod("a"), b"2")

        assert second.created_rev == first.rev

    async def test_an_object_created_again_has_a_new_creation(self, store: Store) -> None:
        await put(store, pod("a"), b"1")
        await store.delete(pod("a"), b"2")
        again = await put(store, pod("a"), b"3")

        assert again.created_rev == again.rev

    async def test_a_reader_does_not_see_what_is_not_durable(self, store: Store) -> None:
        await put(store, pod("a"), b"old")
        written = store.put(pod("a"), b"new")
        fresh = store.put(pod("b"), b"new")

        assert [row.value for row in store.rows("pods")] == [b"old"]
        assert store.get(pod("b")) is None
        await asyncio.gather(written, fresh)
        assert [row.value for row in store.rows("pods")] == [b"new", b"new"]

    async def test_a_write_decides_on_what_was_accepted_before_it(self, store: Store) -> None:
        await fill(store, "a", "b")
        waiting = [store.put(pod("a"), b"new"), store.delete(pod("b"), b"end"), store.put(pod("c"), b"new")]

        newest = store.newest(pod("a"))
        assert newest is not None
        assert newest.value == b"new"
        assert store.newest(pod("b")) is None
        assert sorted(row.key[2] for row in store.newest_rows("pods")) == ["a", "c"]
        assert sorted(row.key[2] for row in store.newest_rows("pods", "elsewhere")) == []
        await asyncio.gather(*waiting)
        assert sorted(row.key[2] for row in store.newest_rows("pods", "default")) == ["a", "c"]

    async def test_deleting_what_is_not_there_is_refused(self, store: Store) -> None:
        with pytest.raises(KeyError):
            store.delete(pod("a"), b"")

    async def test_a_cancelled_writer_does_not_undo_the_write_or_those_beside_it(self, store: Store) -> None:
        given_up, kept = store.put(pod("a"), b"1"), store.put(pod("b"), b"2")
        given_up.cancel()
        await kept

        assert names(store.rows("pods")) == ["a", "b"]

    async def test_lists_are_sorted_as_kubernetes_sorts_keys(self, store: Store) -> None:
        for namespace, name in [("a", "z"), ("a-b", "m"), ("a", "b"), ("b", "a"), ("a.b", "x")]:
            await put(store, pod(name, namespace))

        assert [row.key[1:] for row in store.rows("pods")] == [
            ("a-b", "m"),
            ("a.b", "x"),
            ("a", "b"),
            ("a", "z"),
            ("b", "a"),
        ]
        assert names(store.rows("pods", "a")) == ["b", "z"]
        assert list(store.rows("pods", "nowhere")) == list(store.rows("jobs.batch")) == []

    async def test_a_list_that_was_handed_out_does_not_change(self, store: Store) -> None:
        await fill(store, "a", "b")
        listed = store.rows("pods")
        await put(store, pod("c"))
        await store.delete(pod("a"), b"")

        assert names(listed) == ["a", "b"]
        assert names(store.rows("pods")) == ["b", "c"]

    async def test_objects_are_counted_by_resource_and_namespace(self, store: Store) -> None:
        await fill(store, "a", "b")
        await fill(store, "c", namespace="other")
        await put(store, ("nodes", "", "n"))
        await store.delete(pod("a"), b"")

        assert (store.count("pods"), store.count("pods", "default"), store.count("jobs.batch")) == (2, 1, 0)
        assert store.resources() == ["nodes", "pods"]

    async def test_a_list_at_a_revision_is_what_it_was_then(self, store: Store) -> None:
        await fill(store, "a", "b", "c", "d")
        then = store.revision
        await put(store, pod("b"), b"changed")
        await store.delete(pod("c"), b"")
        await fill(store, "bb")

        page = store.rows_at("pods", None, then, None, 3)
        assert [(row.key[2], row.value) for row in page] == [("a", b"a"), ("b", b"b"), ("c", b"c")]
        assert names(store.rows_at("pods", None, then, page[-1].key[1:], 3)) == ["d"]
        assert names(store.rows_at("pods", "default", store.revision)) == ["a", "b", "bb", "d"]
        assert names(store.rows_at("pods", "other", then)) == []

    async def test_counts_at_a_revision_agree_with_lists_at_it(self, store: Store) -> None:
        await fill(store, "a", "b", "c")
        await fill(store, "x", namespace="other")
        then = store.revision
        assert store.count_at("pods", None, then, ("default", "a")) == 3
        await store.delete(pod("b"), b"")

        assert store.count_at("pods", None, then, ("default", "a")) == 3
        assert store.count_at("pods", "default", then) == 3
        assert store.count_at("pods", None, store.revision) == 3

    async def test_a_watch_sees_each_change_once_in_order(self, store: Store) -> None:
        watcher = store.watch("pods", since=store.revision)
        a = await put(store, pod("a"), b"1")
        b = await put(store, pod("a"), b"2")
        c = await store.delete(pod("a"), b"3")

        seen = await collect(watcher, 3)
        assert told(seen) == [("ADDED", "a", a.rev), ("MODIFIED", "a", b.rev), ("DELETED", "a", c.rev)]
        assert [change.row.value for change in seen] == [b"1", b"2", b"3"]
        assert [change.previous and change.previous.value for change in seen] == [None, b"1", b"2"]

    async def test_a_watch_sees_only_what_it_asked_for(self, store: Store) -> None:
        since = store.revision
        everywhere, here, one, one_anywhere, other = (
            store.watch("pods", since=since),
            store.watch("pods", "default", since=since),
            store.watch("pods", "default", "a", since=since),
            store.watch("pods", None, "a", since=since),
            store.watch("nodes", since=since),
        )
        await fill(store, "a", "b")
        await fill(store, "a", namespace="other")

        assert len(await collect(everywhere, 3)) == 3
        assert [c.key[2] for c in await collect(here, 2)] == ["a", "b"]
        assert [c.key[1:] for c in await collect(one, 1)] == [("default", "a")]
        assert [c.key[1] for c in await collect(one_anywhere, 2)] == ["default", "other"]
        assert list(other.take()) == []

    async def test_a_watch_from_an_old_revision_goes_on_into_the_present(self, store: Store) -> None:
        start = store.revision
        await fill(store, *(f"p{n}" for n in range(50)))
        await put(store, pod("p7"), b"again")
        watcher = store.watch("pods", since=start)
        first = await anext(watcher)
        await store.delete(pod("p7"), b"end")
        seen = [*first, *await collect(watcher, 52 - len(first))]

        assert [change.rev for change in seen] == list(range(start + 1, start + 53))
        assert [change.type for change in seen] == ["ADDED"] * 50 + ["MODIFIED", "DELETED"]
        assert seen[-1].previous is not None
        assert seen[-1].previous.value == b"again"

    async def test_watchers_of_the_same_thing_share_one_change(self, store: Store) -> None:
        one, two = (store.watch("pods", since=store.revision) for _ in range(2))
        await put(store, pod("a"))

        assert (await anext(one))[0] is (await anext(two))[0]

    async def test_a_watch_from_the_future_starts_there(self, store: Store) -> None:
        await put(store, pod("a"))
        watcher = store.watch("pods", since=store.revision + 1)
        await put(store, pod("b"))
        await put(store, pod("c"))

        assert [change.key[2] for change in await collect(watcher, 1)] == ["c"]

    async def test_a_watch_says_up_to_where_it_has_told_all(self, store: Store) -> None:
        watcher = store.watch("pods", since=store.revision)
        await put(store, ("nodes", "", "n"))
        await asyncio.sleep(0)  # watchers are notified in the next iteration of the loop
        assert watcher.revision == store.revision
        before = store.revision
        await put(store, pod("a"))
        assert watcher.revision == before
        await anext(watcher)

        assert watcher.revision == store.revision

    async def test_a_reader_that_stops_waiting_misses_nothing(self, store: Store) -> None:
        watcher = store.watch("pods", since=store.revision)
        waiting = asyncio.ensure_future(anext(watcher))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await put(store, pod("a"))

        assert [change.key[2] for change in await collect(watcher, 1)] == ["a"]

    async def test_a_closed_watch_ends(self, store: Store) -> None:
        watcher = store.watch("pods", since=store.revision)
        waiting = asyncio.ensure_future(anext(watcher))
        await asyncio.sleep(0)
        watcher.close()

        with pytest.raises(StopAsyncIteration):
            await waiting
        assert store.watchers() == 0
        assert not watcher.lagged

    async def test_compaction_keeps_the_present_and_ends_the_past(self, store: Store) -> None:
        await fill(store, "a", "b", "c")
        past = store.revision
        await put(store, pod("a"), b"new")
        await store.delete(pod("b"), b"")
        present = store.revision
        await store.compact(present)

        with pytest.raises(Compacted):
            store.rows_at("pods", None, past)
        with pytest.raises(Compacted):
            store.watch("pods", since=past)
        assert names(store.rows("pods")) == names(store.rows_at("pods", None, present)) == ["a", "c"]
        watcher = store.watch("pods", since=present)
        await put(store, pod("c"), b"newer")
        assert [change.key[2] for change in await collect(watcher, 1)] == ["c"]

    async def test_what_is_not_compacted_can_still_be_told(self, store: Store) -> None:
        await fill(store, "a", "b")
        await store.compact()
        then = store.revision
        await put(store, pod("a"), b"2")
        await store.delete(pod("b"), b"end")

        assert [row.value for row in store.rows_at("pods", None, then)] == [b"a", b"b"]
        seen = await collect(store.watch("pods", since=then), 2)
        assert [change.previous and change.previous.value for change in seen] == [b"a", b"b"]
