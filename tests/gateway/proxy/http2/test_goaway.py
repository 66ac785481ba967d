"""A peer's GOAWAY announces the end of a connection without ending its streams."""

from hypothesis import given
from hypothesis.strategies import integers, lists

from windlass.gateway.proxy.http2.detection import PREFACE, is_http2
from windlass.gateway.proxy.http2.goaway import GoAwayFilter

PING = b"\x00\x00\x08\x06\x00\x00\x00\x00\x00" + b"12345678"
GOAWAY = b"\x00\x00\x08\x07\x00\x00\x00\x00\x00" + b"\x00\x00\x00\x05" + b"\x00\x00\x00\x00"
DATA = b"\x00\x00\x03\x00\x00\x00\x00\x00\x01" + b"\x07\x07\x07"


@given(lists(integers(1, 12), max_size=30))
def test_only_goaway_frames_are_taken_out_however_the_bytes_are_cut(cuts: list[int]) -> None:
    sent = PREFACE + PING + GOAWAY + DATA + PING
    taken = GoAwayFilter(len(PREFACE))
    received, position = b"", 0
    for size in [*cuts, len(sent)]:
        received += taken.feed(sent[position : position + size])
        position += size

    assert received == PREFACE + PING + DATA + PING
    assert taken.last_stream == 5


@given(integers(0, len(PREFACE)))
def test_a_preface_is_recognised_when_it_is_whole(size: int) -> None:
    assert is_http2(PREFACE[:size]) is (True if size == len(PREFACE) else None)
    assert is_http2(PREFACE[:size] + b"X") is (size == len(PREFACE))
    assert is_http2(b"POST / HTTP/1.1\r\n") is False
