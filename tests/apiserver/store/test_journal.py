"""The journal: what was appended is read back, in order and whole, whatever else the file holds."""

import errno
import fcntl
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.apiserver.store import journal
from windlass.apiserver.store.commit import Entry
from windlass.apiserver.store.journal import BLOCK, Journal, create, entries_after, journal_path

SMALL = 8  # blocks


def entry(rev: int, size: int = 10) -> Entry:
    return (rev, "/pods", f"default/p{rev}", 1, rev, bytes(size))


def appended(to: Journal, entries: list[Entry], after: int) -> bool:
    record = to.prepare(entries, after)
    if record is not None:
        to.write(record)
    return record is not None


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def small(store: Path) -> Iterator[Journal]:
    made = create(store, SMALL)
    assert made is not None
    yield made
    made.close()


def found(store: Path, identity: int, after: int = 0) -> list[int]:
    return [rev for rev, *_ in entries_after(journal.read(store), identity, after)]


def test_what_was_appended_is_found_after_the_revision_that_is_known(store: Path, small: Journal) -> None:
    assert appended(small, [entry(1), entry(2)], after=0)
    assert appended(small, [entry(3)], after=2)

    assert entries_after(journal.read(store), small.identity, 0) == [entry(1), entry(2), entry(3)]
    assert found(store, small.identity, after=2) == [3]
    assert found(store, small.identity, after=3) == []


def test_revisions_that_were_refused_leave_no_gap(store: Path, small: Journal) -> None:
    appended(small, [entry(1)], after=0)
    appended(small, [entry(5)], after=1)

    assert found(store, small.identity) == [1, 5]


def test_a_commit_that_does_not_continue_the_known_ones_is_not_taken(store: Path, small: Journal) -> None:
    appended(small, [entry(8)], after=7)

    assert found(store, small.identity, after=6) == []


def test_the_journal_of_another_data_file_is_not_taken(store: Path, small: Journal) -> None:
    appended(small, [entry(1)], after=0)

    assert found(store, small.identity + 1) == []
    assert found(store, 0) == []


def test_a_new_journal_in_an_old_file_is_empty(store: Path, small: Journal) -> None:
    appended(small, [entry(1)], after=0)
    again = create(store, SMALL)
    assert again is not None

    assert found(store, again.identity) == []
    again.close()


def test_a_full_ring_takes_more_once_the_oldest_are_in_the_data_file(store: Path, small: Journal) -> None:
    for rev in range(1, SMALL + 1):
        assert appended(small, [entry(rev)], after=rev - 1)
    assert not appended(small, [entry(9)], after=8)
    assert small.used == 1

    small.release(2)

    assert appended(small, [entry(9)], after=8)
    assert found(store, small.identity, after=2) == [3, 4, 5, 6, 7, 8, 9]


def test_a_record_that_is_larger_than_the_rest_of_the_ring_begins_at_its_start(store: Path, small: Journal) -> None:
    appended(small, [entry(1, 5 * BLOCK)], after=0)
    small.release(1)
    assert appended(small, [entry(2, 3 * BLOCK)], after=1)  # 4 blocks, and 2 are left at the end

    assert found(store, small.identity, after=1) == [2]
    assert not appended(small, [entry(3, 3 * BLOCK)], after=2)
    small.release(2)
    assert small.used == 0


def test_a_batch_that_is_too_large_is_not_taken(store: Path) -> None:
    made = create(store)
    assert made is not None

    assert not appended(made, [entry(1, journal.LARGEST_RECORD)], after=0)
    made.close()


def test_a_damaged_record_and_all_after_it_are_not_taken(store: Path, small: Journal) -> None:
    for rev in (1, 2, 3):
        appended(small, [entry(rev, 500)], after=rev - 1)
    whole = journal.read(store)
    chance = random.Random(5)

    for _ in range(200):
        at = BLOCK + chance.randrange(500)
        damaged = bytearray(whole)
        damaged[at] ^= 1 << chance.randrange(8)
        assert [rev for rev, *_ in entries_after(bytes(damaged), small.identity, 0)] == [1]


@pytest.mark.parametrize("size", [0, 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 10])
def test_a_file_of_any_length_can_be_read(store: Path, small: Journal, size: int) -> None:
    for rev in (1, 2, 3):
        appended(small, [entry(rev)], after=rev - 1)

    whole = min(size // BLOCK + (size % BLOCK > 60), 3)
    assert [rev for rev, *_ in entries_after(journal.read(store)[:size], small.identity, 0)] == [1, 2, 3][:whole]


def test_every_write_is_synced_by_the_kernel(small: Journal) -> None:
    descriptor = small._file  # pyright: ignore[reportPrivateUsage] - what the kernel was asked for is the promise
    assert fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_DSYNC


def test_only_the_user_can_read_it(store: Path, small: Journal) -> None:
    assert journal_path(store).stat().st_mode & 0o777 == 0o600


def test_a_disk_with_little_room_gets_no_journal(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=SMALL * BLOCK * 2))

    assert create(store, SMALL) is None
    assert not journal_path(store).exists()


def test_a_file_system_without_direct_access_is_written_through_the_cache(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse_direct(path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "Invalid argument")
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", refuse_direct)
    made = create(store, SMALL)
    assert made is not None
    appended(made, [entry(1)], after=0)

    assert found(store, made.identity) == [1]
    made.close()


def test_a_write_that_the_disk_refuses_is_reported(small: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pwrite", lambda *_: 100)

    with pytest.raises(OSError, match="only in part"):
        appended(small, [entry(1)], after=0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3 * BLOCK), st.booleans()), max_size=40), st.integers(0, 2**16))
def test_all_that_is_not_released_is_always_found(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, bool]], seed: int
) -> None:
    store, chance = tmp_path_factory.mktemp("journal") / "state.db", random.Random(seed)
    made = create(store, SMALL)
    assert made is not None
    kept: list[int] = []
    newest = released = 0
    for size, release in steps:
        rev = newest + chance.randrange(1, 4)
        if appended(made, [entry(rev, size)], after=newest):
            kept.append(rev)
            newest = rev
        if release and kept:
            released = kept.pop(0)
            made.release(released)
        assert found(store, made.identity, after=released) == kept
    made.close()
