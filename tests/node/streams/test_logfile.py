"""Reading log files: from the end, on and on, over rotations."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.node.streams import logfile, logs
from windlass.node.streams.logfile import Position, Reader


def line(number: int, tag: str = "F", stream: str = "stdout", text: str = "") -> str:
    return f"2026-11-16T00:00:{number % 60:02d}.000000000Z {stream} {tag} {text or f'line {number}'}\n"


def beginning(path: Path) -> Position:
    found = logfile.first(str(path))
    assert found is not None
    return found


def everything(path: Path, start: Position, options: logs.Options) -> str:
    reader, formatter, said = Reader(str(path), start), logs.LogFormatter(options), b""
    while not formatter.done and (lines := reader.read()) is not None:
        said += formatter.format(lines)
    reader.close()
    return said.decode()


@given(count=st.integers(0, 60), wanted=st.integers(0, 70), files=st.integers(1, 4), width=st.integers(1, 3000))
@settings(max_examples=60, deadline=None)
def test_the_tail_is_the_last_lines_of_all_files_together(
    tmp_path_factory: pytest.TempPathFactory, count: int, wanted: int, files: int, width: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "0.log"
    texts = [f"{number}-" + "x" * width for number in range(count)]
    share = count // files + 1
    for age in range(files):
        name = path if age == files - 1 else Path(f"{path}.{files - 1 - age}")
        part = texts[age * share : (age + 1) * share]
        name.write_text("".join(line(1, text=text) for text in part))

    start = logfile.tail(str(path), wanted)

    assert start is not None
    expected = texts[-wanted:] if wanted else []
    assert everything(path, start, logs.Options()).splitlines() == expected


def test_a_long_line_in_pieces_counts_once_and_is_joined(tmp_path: Path) -> None:
    path = tmp_path / "0.log"
    path.write_text(
        line(1) + line(2, "P", text="long ") + line(2, "P", text="longer ") + line(2, text="longest") + line(3)
    )
    start = logfile.tail(str(path), 2)
    assert start is not None

    assert everything(path, start, logs.Options()) == "long longer longest\nline 3\n"
    stamped = everything(path, start, logs.Options(timestamps=True))
    assert stamped.splitlines()[0] == "2026-11-16T00:00:02.000000000Z long longer longest"


def test_a_reader_goes_on_over_rotations_though_it_was_slow(tmp_path: Path) -> None:
    path = tmp_path / "0.log"
    path.write_text(line(1))
    reader = Reader(str(path), beginning(path))
    said = [reader.read(), reader.read()]
    path.rename(f"{path}.2")
    Path(f"{path}.1").write_text(line(2))
    path.write_text(line(3))

    while (lines := reader.read()) is not None:
        said.append(lines)
    reader.close()

    assert [raw[-6:] for lines in said if lines for raw in lines] == [b"line 1", b"line 2", b"line 3"]


def test_since_stream_and_limit_choose(tmp_path: Path) -> None:
    path = tmp_path / "0.log"
    path.write_text("".join(line(n, stream="stderr" if n % 2 else "stdout") for n in range(10)))
    start = beginning(path)

    assert everything(path, start, logs.Options(since="2026-11-16T00:00:08.000000")) == "line 8\nline 9\n"
    assert everything(path, start, logs.Options(stream="stderr")).splitlines()[0] == "line 1"
    assert everything(path, start, logs.Options(limit=9)) == "line 0\nli"


def test_a_line_that_a_crash_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "0.log"
    path.write_text(line(1) + "2026-11-16T00:\n" + line(2) + "2026-11-16T00:00:03.0")

    assert everything(path, beginning(path), logs.Options()) == "line 1\nline 2\n"


def test_a_reader_with_an_end_stops_there_however_much_is_written_on(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"2026-01-01T00:00:00Z stdout F one\n")
    reader = Reader(str(path), beginning(path), logfile.end(str(path)))
    with path.open("ab") as file:
        file.write(b"2026-01-01T00:00:01Z stdout F two\n")

    assert reader.read() == [b"2026-01-01T00:00:00Z stdout F one"]
    assert reader.read() is None
    reader.close()


def test_a_reader_finds_its_file_under_the_name_that_rotation_gave_it(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"2026-01-01T00:00:00Z stdout F old\n")
    start = beginning(path)
    path.rename(tmp_path / "log.1")
    path.write_bytes(b"2026-01-01T00:00:01Z stdout F new\n")

    assert everything(path, start, logs.Options()) == "old\nnew\n"
