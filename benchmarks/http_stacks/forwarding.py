"""What both proxies share: the client of the backend, and which headers are passed on."""

from collections.abc import Iterable, Mapping

from aiohttp import ClientSession, DummyCookieJar, TCPConnector

_OF_ONE_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "upgrade", "host", "content-length"})


def client(port: int) -> ClientSession:
    return ClientSession(
        f"http://127.0.0.1:{port}",
        connector=TCPConnector(limit=0),
        cookie_jar=DummyCookieJar(),
        auto_decompress=False,
    )


def forwarded(headers: Mapping[str, str]) -> dict[str, str]:
    return dict(passed_on(headers.items()))


def passed_on(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((name, value) for name, value in headers if name.lower() not in _OF_ONE_HOP)
