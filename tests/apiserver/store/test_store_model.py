"""Whatever is done to a store, it looks like a dict with a memory: the same objects, lists of the past, and watches."""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apiserver.store.builders import collect
from windlass.apiserver.store import Change, Compacted, Key, Row, Store

KEYS: list[Key] = [
    (resource, namespace, name)
    for resource, namespaces in (("pods", ("a", "a-b")), ("nodes", ("",)))
    for namespace in namespaces
    for name in ("x", "y", "y.z")
]

Step = tuple[str, Key]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "delete", "delete", "await", "compact", "restart", "crash"]),
        st.sampled_from(KEYS),
    ),
    max_size=40,
)


@dataclass
class Model:
    """The whole history in plain dicts: the objects after each revision, and the changes."""

    objects: dict[Key, bytes] = field(default_factory=dict[Key, bytes])
    past: dict[int, dict[Key, bytes]] = field(default_factory=lambda: {0: {}})
    changes: list[tuple[str, Key, int, bytes, bytes | None]] = field(
        default_factory=list[tuple[str, Key, int, bytes, bytes | None]]
    )

    def put(self, key: Key, rev: int, value: bytes) -> None:
        before = self.objects.get(key)
        self.changes.append(("MODIFIED" if before else "ADDED", key, rev, value, before))
        self.objects[key] = value
        self.past[rev] = dict(self.objects)

    def delete(self, key: Key, rev: int, value: bytes) -> None:
        self.changes.append(("DELETED", key, rev, value, self.objects.pop(key)))
        self.past[rev] = dict(self.objects)


def listed(objects: dict[Key, bytes], resource: str, namespace: str | None) -> list[tuple[Key, bytes]]:
    found = [(k, v) for k, v in objects.items() if k[0] == resource and namespace in (None, k[1])]
    return sorted(found, key=lambda item: f"{item[0][1]}/{item[0][2]}")


def plain(change: Change) -> tuple[str, Key, int, bytes, bytes | None]:
    return (change.type, change.key, change.rev, change.row.value, change.previous and change.previous.value)


async def check(store: Store, model: Model) -> None:
    for resource, namespace in (("pods", None), ("pods", "a"), ("pods", "a-b"), ("nodes", None)):
        assert [(r.key, r.value) for r in store.rows(resource, namespace)] == listed(model.objects, resource, namespace)
        for revision, objects in model.past.items():
            expected = listed(objects, resource, namespace)
            if revision < store.compacted:
                continue
            assert [(r.key, r.value) for r in store.rows_at(resource, namespace, revision)] == expected
            assert store.count_at(resource, namespace, revision) == len(expected)
            if len(expected) > 1:
                page = store.rows_at(resource, namespace, revision, expected[0][0][1:], 1)
                assert [(r.key, r.value) for r in page] == expected[1:2]
        for since in model.past:
            expected_changes = [
                c for c in model.changes if c[1][0] == resource and namespace in (None, c[1][1]) and c[2] > since
            ]
            try:
                watcher = store.watch(resource, namespace, since=since)
            except Compacted:
                assert since < store.compacted
                continue
            assert [plain(change) for change in await collect(watcher, len(expected_changes))] == expected_changes
            assert not watcher.take()
            watcher.close()


async def opened(path: Path, recent: int, journal: bool) -> Store:
    store = Store.open(path, recent=recent)
    if journal:
        await store.use_journal()
    return store


def copied(path: Path) -> Path:
    """The files as a kill at this moment leaves them, elsewhere."""
    copy = Path(tempfile.mkdtemp(dir=path.parents[1])) / path.name
    for file in path.parent.glob(f"{path.name}*"):
        if not file.name.endswith((".lock", "-shm")):
            shutil.copy(file, copy.with_name(file.name))
    return copy


async def run(steps: list[Step], recent: int, journal: bool) -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "first" / "state.db"
        path.parent.mkdir()
        store = await opened(path, recent, journal)
        live = store.watch("pods", since=0)
        waiting: list[asyncio.Future[Row]] = []
        for number, (step, key) in enumerate(steps):
            value = b"%d" % number
            if step == "put":
                model.put(key, store.next_revision, value)
                waiting.append(store.put(key, value))
            elif step == "delete" and store.newest(key) is not None:
                model.delete(key, store.next_revision, value)
                waiting.append(store.delete(key, value))
            elif step in ("await", "compact", "restart", "crash"):
                await asyncio.gather(*waiting)
            if step == "compact":
                await store.compact(store.revision - number % 3)
            elif step in ("restart", "crash"):
                copy = copied(path) if step == "crash" else path
                await store.close()
                path = copy
                store = await opened(path, recent, journal and number % 4 > 0)
                live = None
        await asyncio.gather(*waiting)
        await check(store, model)
        if live is not None:
            expected = [c for c in model.changes if c[1][0] == "pods"]
            assert [plain(change) for change in await collect(live, len(expected))] == expected
        await store.close()


@settings(max_examples=60, deadline=None)
@given(STEPS, st.sampled_from([0, 3, 1000]), st.booleans())
def test_a_store_looks_like_a_dict_with_a_memory(steps: list[Step], recent: int, journal: bool) -> None:
    asyncio.run(run(steps, recent, journal))
