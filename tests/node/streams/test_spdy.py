"""The SPDY codec: what one end encodes, the other decodes, however the bytes are cut."""

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.node.streams import spdy

ids = st.integers(1, 2**31 - 1)
words = st.integers(0, 2**32 - 1)
headers = st.dictionaries(
    st.text(st.characters(codec="ascii"), max_size=20).map(str.lower), st.text(max_size=40), max_size=8
)
frames = st.one_of(
    st.builds(spdy.SynStream, ids, headers, st.booleans()),
    st.builds(spdy.SynReply, ids, headers, st.booleans()),
    st.builds(spdy.Headers, ids, headers, st.booleans()),
    st.builds(spdy.Data, ids, st.binary(max_size=300), st.booleans()),
    st.builds(spdy.Reset, ids, words),
    st.builds(spdy.Ping, words),
    st.builds(spdy.GoAway, ids, words),
    st.builds(spdy.WindowUpdate, ids, st.integers(0, 2**31 - 1)),
    st.builds(spdy.InitialWindow, st.integers(0, 2**31 - 1)),
)


@settings(deadline=None)  # the machine may be busy
@given(st.lists(frames, max_size=20), st.integers(1, 50))
def test_frames_arrive_as_they_were_sent_however_the_bytes_are_cut(sent: list[spdy.Frame], size: int) -> None:
    ours, theirs = spdy.Codec(), spdy.Codec()
    data = b"".join(ours.encode(frame) for frame in sent)

    got = [frame for at in range(0, len(data), size) for frame in theirs.feed(data[at : at + size])]

    assert got == sent


@given(st.binary(max_size=200))
def test_noise_is_refused_or_read_but_never_breaks_the_decoder(noise: bytes) -> None:
    try:
        list(spdy.Codec().feed(noise))
    except spdy.BadFrame:
        return


def test_the_dictionary_is_the_one_that_every_spdy_knows() -> None:
    assert (len(spdy.DICTIONARY), zlib.adler32(spdy.DICTIONARY)) == (1423, 0xE3C6A7C2)


def test_headers_that_unpack_to_too_much_are_refused() -> None:
    bomb = spdy.Codec().encode(spdy.SynStream(1, {"a": "x" * (2 << 20)}))

    with pytest.raises(spdy.BadFrame, match="too long"):
        list(spdy.Codec().feed(bomb))
