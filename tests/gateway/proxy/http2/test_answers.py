"""Responses over HTTP/2 that a backend gives."""

from windlass.gateway.proxy.http2.answers import passed_response


def test_a_backend_can_neither_exchange_nor_end_the_session() -> None:
    headers = [
        (b":status", b"200"),
        (b"set-cookie", b"session=theirs; Path=/"),
        (b"set-cookie", b"=session=theirs"),
        (b"set-cookie", b"mine=1"),
        (b"clear-site-data", b"*"),
    ]

    assert passed_response(headers, frozenset({"session"})) == [(b":status", b"200"), (b"set-cookie", b"mine=1")]
