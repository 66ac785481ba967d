"""Duplicate fields are named, however many there are and however long the keys above them."""

import tracemalloc

from windlass.apiserver.verbs.bodies import read_document

FIELDS = ",".join(f'"a{number}":1,"a{number}":2' for number in range(5_000))


def test_duplicate_fields_are_named_by_their_path() -> None:
    found: list[str] = []
    read_document(b'{"a":{"b":[{"c":1,"c":2}],"a":1},"a":1}', "", found)

    assert found == ['duplicate field "a.b[0].c"', 'duplicate field "a"']


def test_many_duplicate_fields_below_a_long_key_take_little_memory() -> None:
    found: list[str] = []
    tracemalloc.start()
    try:
        read_document(f'{{"{"k" * 100_000}":{{{FIELDS}}}}}'.encode(), "", found)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert len(found) == 100
