"""The frames of gRPC and gRPC-web."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.web.grpc.frames import framed, of_text, only_message, take_message, web_body
from windlass.apps.pipelines.wire.errors import InvalidArgument, Unimplemented


@given(st.binary(max_size=300))
def test_a_message_is_read_from_its_frame(message: bytes) -> None:
    assert only_message(framed(message)) == message


@given(st.lists(st.binary(max_size=20), max_size=5), st.integers(0, 4))
def test_messages_are_taken_as_they_arrive(messages: list[bytes], missing: int) -> None:
    sent = b"".join(framed(message) for message in messages)
    received = bytearray(sent + framed(b"next")[: 9 - 1 - missing])

    assert [take_message(received) for _ in messages] == messages
    assert take_message(received) is None
    received += framed(b"next")[9 - 1 - missing :]
    assert take_message(received) == b"next"


@given(st.lists(st.binary(max_size=20), max_size=5))
def test_base64_may_have_several_padded_parts(parts: list[bytes]) -> None:
    assert of_text(b"".join(base64.b64encode(part) for part in parts)) == b"".join(parts)


@given(st.binary(max_size=20))
def test_any_body_is_read_or_refused(body: bytes) -> None:
    for read in (only_message, of_text):
        try:
            read(body)
        except (InvalidArgument, Unimplemented) as error:
            assert error.code in (3, 12)  # noqa: PT017 - either outcome is right


@pytest.mark.parametrize("body", [b"", b"\0\0\0\0", framed(b"a") + framed(b"b"), framed(b"abc")[:-1]])
def test_a_body_that_is_not_one_message_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidArgument, match="not one gRPC message"):
        only_message(body)


def test_compressed_messages_are_refused() -> None:
    with pytest.raises(Unimplemented, match="without compression"):
        only_message(framed(b"a", 1))


def test_an_answer_ends_with_its_status() -> None:
    assert web_body(b"ab") == b"\0\0\0\0\x02ab" + b"\x80\0\0\0\x1egrpc-status:0\r\ngrpc-message:\r\n"
