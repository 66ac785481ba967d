"""The WebSocket codec of a server."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.node.streams import websocket
from windlass.node.streams.websocket import Message

messages = st.builds(Message, st.sampled_from([websocket.TEXT, websocket.BINARY]), st.binary(max_size=70_000))


def client_frame(opcode: int, data: bytes, mask: bytes, final: bool = True) -> bytes:
    raw = websocket.encode(opcode, data)
    head, body = raw[: len(raw) - len(data)], data
    head = bytes((head[0] if final else head[0] & 0x7F, head[1] | 0x80)) + head[2:]
    return head + mask + websocket.masked(body, mask)


@settings(deadline=None)  # the machine may be busy
@given(st.lists(messages, max_size=4), st.binary(min_size=4, max_size=4), st.integers(1, 5000))
def test_messages_arrive_as_they_were_sent_however_the_bytes_are_cut(
    sent: list[Message], mask: bytes, size: int
) -> None:
    data = b"".join(client_frame(message.opcode, message.data, mask) for message in sent)
    decoder = websocket.Decoder()

    assert [m for at in range(0, len(data), size) for m in decoder.feed(data[at : at + size])] == sent


def test_a_message_in_pieces_is_joined_around_a_ping() -> None:
    data = (
        client_frame(websocket.TEXT, b"one ", b"abcd", final=False)
        + client_frame(websocket.PING, b"?", b"abcd")
        + client_frame(websocket.CONTINUATION, b"two", b"abcd")
    )

    assert list(websocket.Decoder().feed(data)) == [Message(websocket.PING, b"?"), Message(websocket.TEXT, b"one two")]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (websocket.encode(websocket.TEXT, b"not masked"), 1002),
        (client_frame(websocket.CONTINUATION, b"of nothing", b"abcd"), 1002),
        (b"\x82\xff" + (1 << 40).to_bytes(8, "big"), 1009),
    ],
)
def test_what_breaks_the_rules_is_refused(data: bytes, code: int) -> None:
    with pytest.raises(websocket.BadFrame) as refused:
        list(websocket.Decoder().feed(data))
    assert refused.value.code == code
