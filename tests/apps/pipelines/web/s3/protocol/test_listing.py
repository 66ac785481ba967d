"""Listings, compared with what S3 says they are: all keys in order, grouped and cut into pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.listing import (
    Child,
    Entry,
    Page,
    Position,
    Question,
    page_of,
    position_of_marker,
    position_of_token,
    token_of,
)

STEPS = st.text("ab-.é", min_size=1, max_size=2).filter(lambda step: step not in (".", ".."))
PATHS = st.lists(STEPS, min_size=1, max_size=3).map("/".join)
TEXTS = st.text("ab-./é", max_size=4)


class Bucket:
    """Files and marked folders; a file where a folder is needed is left out, as on a disk."""

    def __init__(self, files: set[str], folders: set[str]) -> None:
        self.folders = {"": False}
        self.files: set[str] = set()
        for path in sorted(folders):
            self._make(path, is_marked=True)
        for path in sorted(files):
            if f"{path}/" not in self.folders and self._make(path.rpartition("/")[0]):
                self.files.add(path)
        self.read: list[str] = []

    def _make(self, path: str, *, is_marked: bool = False) -> bool:
        steps = path.split("/") if path else []
        names = ["/".join(steps[:count]) for count in range(1, len(steps) + 1)]
        if any(name in self.files for name in names):
            return False
        for name in names:
            self.folders.setdefault(f"{name}/", False)
        if is_marked:
            self.folders[f"{path}/"] = True
        return True

    def all_keys(self) -> list[str]:
        keys = [*self.files, *(path for path, is_marked in self.folders.items() if is_marked)]
        return sorted(keys, key=str.encode)

    def children(self, path: str) -> list[Child]:
        self.read.append(path)
        files = [
            Child(name[len(path) :], False)
            for name in self.files
            if name.startswith(path) and "/" not in name[len(path) :]
        ]
        folders = [
            Child(name[len(path) : -1], True, is_marked)
            for name, is_marked in self.folders.items()
            if name.startswith(path) and name != path and "/" not in name[len(path) : -1]
        ]
        return files + folders


def by_definition(bucket: Bucket, question: Question) -> list[Entry]:
    """All entries, from the definition of S3's listings."""
    entries: list[Entry] = []
    for key in bucket.all_keys():
        if not key.startswith(question.prefix) or (question.position.after and key <= question.position.after):
            continue
        if question.position.is_prefix and key.startswith(question.position.after):
            continue
        end = key.find(question.delimiter, len(question.prefix)) if question.delimiter else -1
        entry = Entry(key, False) if end < 0 else Entry(key[: end + len(question.delimiter)], True)
        if entry not in entries:
            entries.append(entry)
    return entries


BUCKETS = st.builds(Bucket, st.sets(PATHS, max_size=8), st.sets(PATHS, max_size=3))
QUESTIONS = st.builds(
    Question,
    prefix=TEXTS,
    delimiter=st.sampled_from(["", "/", "-", "a", "/a"]),
    position=st.builds(Position, TEXTS),
    max_keys=st.integers(1, 4),
)


@given(BUCKETS, QUESTIONS)
def test_a_page_is_the_start_of_what_the_definition_says(bucket: Bucket, question: Question) -> None:
    entries = by_definition(bucket, question)

    page = page_of(question, bucket.children)
    assert page == Page(entries[: question.max_keys], len(entries) > question.max_keys)


@given(BUCKETS, QUESTIONS)
def test_pages_together_are_the_listing(bucket: Bucket, question: Question) -> None:
    collected: list[Entry] = []
    position = question.position
    for _ in range(20):
        page = page_of(
            Question(
                prefix=question.prefix, delimiter=question.delimiter, position=position, max_keys=question.max_keys
            ),
            bucket.children,
        )
        collected += page.entries
        if not page.is_truncated:
            break
        position = position_of_token(token_of(page.next))

    assert collected == by_definition(bucket, question)


@given(BUCKETS, st.integers(1, 3))
def test_pages_by_marker_are_the_listing_too(bucket: Bucket, max_keys: int) -> None:
    collected: list[Entry] = []
    marker = ""
    for _ in range(20):
        position = position_of_marker(marker, "", "/")
        page = page_of(Question(delimiter="/", position=position, max_keys=max_keys), bucket.children)
        collected += page.entries
        if not page.is_truncated:
            break
        marker = page.next.after

    assert collected == by_definition(bucket, Question(delimiter="/"))


def test_folders_outside_of_the_prefix_and_below_a_delimiter_are_not_read() -> None:
    bucket = Bucket({"a/1/x", "a/2/x", "b/1/x", "a/1/y/deep/z"}, set())

    page = page_of(Question(prefix="a/", delimiter="/"), bucket.children)
    assert page.prefixes == ["a/1/", "a/2/"]
    assert not [path for path in bucket.read if path.startswith(("b/", "a/1/y"))]


def test_no_keys_are_asked_for() -> None:
    assert page_of(Question(max_keys=0), Bucket({"a"}, set()).children) == Page([], False)


@pytest.mark.parametrize("token", ["!", "YWJj", "WzFd", "WyJhIiwgMV0=", "[" * 10_000, "é", "bnVsbA=="])
def test_a_token_of_someone_else_is_refused(token: str) -> None:
    with pytest.raises(S3Error, match="InvalidArgument"):
        position_of_token(token)
