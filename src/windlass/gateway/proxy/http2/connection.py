"""One HTTP/2 connection and its streams: frames, windows, and what waits to be sent.

Streams are joined in pairs, one of a client and one of a backend, and pass on what they receive. Bytes are acknowledged
to their sender when they have been sent on: a slow receiver stops its sender by the sender's own window, and no more
than STREAM_WINDOW bytes of a stream wait here. The connection's window has room for all streams, so that one slow
stream holds up no other.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import cast

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    Event,
    RemoteSettingsChanged,
    RequestReceived,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
    WindowUpdated,
)
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings

from windlass.gateway.proxy.http2.detection import PREFACE
from windlass.gateway.proxy.http2.goaway import GoAwayFilter

MAX_STREAMS = 100
STREAM_WINDOW = 128 << 10
CONNECTION_WINDOW = MAX_STREAMS * STREAM_WINDOW
DEFAULT_WINDOW = 65_535
MAX_HEADER_BYTES = 64 << 10
MAX_UNSENT = 1 << 20
"""Bytes that a peer may leave unread: data waits for it elsewhere, so these are answers to frames that it floods."""

Headers = Sequence[tuple[bytes, bytes]]


class Stream:
    """One stream of a connection."""

    def __init__(self, connection: "Connection", number: int) -> None:
        self.connection, self.number = connection, number
        self.other: Stream | None = None
        """The stream that gets what this one receives."""
        self.has_sent_headers = False
        self.on_data: Callable[[], None] = _ignore
        self.on_closed: Callable[[], None] = _ignore
        self.is_closed = False
        self._arrived: deque[tuple[bytes, int]] = deque()
        self._arrived_trailers: Headers | None = None
        self._waiting: deque[tuple[bytes, int]] = deque()
        self._trailers: Headers | None = None
        self._has_sent_end = self._has_received_end = False
        self._reset_after_end: int | None = None

    # Receiving.

    def join(self, other: "Stream") -> None:
        """Pass on to the other what this stream receives and has received, and the reverse."""
        self.other, other.other = other, self
        while self._arrived:
            other.send(*self._arrived.popleft())
        if self._arrived_trailers is not None:
            other.end(self._arrived_trailers)

    def received(self, data: bytes, size: int) -> None:
        """`size`: what to acknowledge for the data, with its padding."""
        self.on_data()
        if self.other is not None:
            self.other.send(data, size)
        else:
            self._arrived.append((data, size))

    def received_end(self, trailers: Headers = ()) -> None:
        if self._has_received_end:
            return
        self._has_received_end = True
        if self.other is not None:
            self.other.end(trailers)
        else:
            self._arrived_trailers = trailers
        self._close_if_over()

    def received_reset(self, code: int) -> None:
        """The peer wants no more of this stream."""
        other = self.other
        self._close()
        if other is not None:
            other.fail(code)

    # Sending.

    def send_headers(self, headers: Headers, *, is_end: bool = False) -> None:
        self.has_sent_headers = True
        self._has_sent_end = self._has_sent_end or is_end
        with self.connection.sending() as h2:
            h2.send_headers(self.number, headers, end_stream=is_end)
        self._close_if_over()

    def send(self, data: bytes, size: int = 0) -> None:
        """Send as the windows allow; `size` is acknowledged to the other stream when all of it is sent."""
        if self.is_closed or self._has_sent_end:
            self._acknowledge(size)
            return
        self._waiting.append((data, size))
        self.pump()

    def end(self, trailers: Headers = ()) -> None:
        """End this direction after what waits."""
        if self._trailers is None:
            self._trailers = trailers
            self.pump()

    def reset(self, code: int) -> None:
        """End the stream at once, in both directions."""
        if self.is_closed:
            return
        with self.connection.sending() as h2:
            h2.reset_stream(self.number, code)
        self._close()

    def fail(self, code: int) -> None:
        """The other stream has broken off. A complete answer that waits is sent before the reset."""
        if self._trailers is not None and not self._has_sent_end:
            self._reset_after_end = code
        else:
            self.reset(code)

    def pump(self) -> None:
        """Send what waits, as far as the windows and the socket allow."""
        if self.is_closed or self._has_sent_end:
            return
        with self.connection.sending() as h2:
            while self._waiting and self.connection.is_writable:
                data, size = self._waiting[0]
                room = min(h2.local_flow_control_window(self.number), h2.max_outbound_frame_size)
                if room <= 0 and data:
                    break
                h2.send_data(self.number, data[:room])
                if len(data) > room:
                    self._waiting[0] = data[room:], size
                else:
                    self._waiting.popleft()
                    self._acknowledge(size)
                self.connection.flush()
            if not self._waiting and self._trailers is not None:
                self._send_end(h2, self._trailers)
        self._close_if_over()

    def _send_end(self, h2: H2Connection, trailers: Headers) -> None:
        self._has_sent_end = True
        if trailers:
            h2.send_headers(self.number, trailers, end_stream=True)
        else:
            h2.end_stream(self.number)
        if self._reset_after_end is not None:
            h2.reset_stream(self.number, self._reset_after_end)
            self._close()

    def _acknowledge(self, size: int) -> None:
        if size and self.other is not None:
            self.other.connection.acknowledge(self.other.number, size)

    # The end.

    def abandon(self) -> None:
        """The connection is gone."""
        self.received_reset(ErrorCodes.INTERNAL_ERROR if self.connection.is_client_side else ErrorCodes.CANCEL)

    def _close_if_over(self) -> None:
        if self._has_sent_end and self._has_received_end:
            self._close()

    def _close(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        for _, size in self._waiting:
            self._acknowledge(size)
        for _, size in self._arrived:  # the connection's window is for all streams: nothing may stay taken
            self.connection.acknowledge(self.number, size)
        self._waiting.clear()
        self._arrived.clear()
        self.connection.forget(self)
        self.on_closed()


def _ignore() -> None:
    return None


class Connection(asyncio.Protocol):
    """What both kinds of connections share. Subclasses answer `opened` and `idle`."""

    is_client_side = False

    def __init__(self) -> None:
        self.h2 = H2Connection(H2Configuration(client_side=self.is_client_side, header_encoding=None))
        values = {
            SettingCodes.INITIAL_WINDOW_SIZE: STREAM_WINDOW,
            SettingCodes.MAX_CONCURRENT_STREAMS: MAX_STREAMS,
            SettingCodes.MAX_HEADER_LIST_SIZE: MAX_HEADER_BYTES,
            **({SettingCodes.ENABLE_PUSH: 0} if self.is_client_side else {}),
        }
        self.h2.local_settings = Settings(client=self.is_client_side, initial_values=values)
        self.streams: dict[int, Stream] = {}
        self.is_writable = True
        self.is_going_away = False
        """Whether the peer has announced its end: no new streams, and those that are open may finish."""
        self.transport: asyncio.Transport | None = None
        self._goaway = GoAwayFilter(0 if self.is_client_side else len(PREFACE))

    def opened(self, number: int, headers: Headers, *, is_end: bool) -> None:
        """Headers of a request (on a client's connection) or of a response (on a backend's) have arrived."""
        raise NotImplementedError

    def idle(self) -> None:
        """The last stream is over."""

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        with self.sending() as h2:
            h2.initiate_connection()
            h2.increment_flow_control_window(CONNECTION_WINDOW - DEFAULT_WINDOW)

    def data_received(self, data: bytes) -> None:
        try:
            events = self.h2.receive_data(self._goaway.feed(data))
        except ProtocolError:
            self.flush()  # h2 has prepared the GOAWAY that names the error
            self.close()
            return
        for event in events:
            self._handle(event)
        if self._goaway.last_stream is not None:
            self._go_away(self._goaway.last_stream)
        self.flush()
        if self.transport is not None and self.transport.get_write_buffer_size() > MAX_UNSENT:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        self.is_going_away = True
        for stream in list(self.streams.values()):
            stream.abandon()

    def pause_writing(self) -> None:
        self.is_writable = False

    def resume_writing(self) -> None:
        self.is_writable = True
        self._pump_all()

    # What streams call.

    @contextmanager
    def sending(self) -> Generator[H2Connection]:
        """For calls that write frames. A stream or connection that is over already takes none, which is no error."""
        with suppress(ProtocolError):
            yield self.h2
        self.flush()

    def flush(self) -> None:
        data = self.h2.data_to_send()
        if data and self.transport is not None:
            self.transport.write(data)

    def acknowledge(self, number: int, size: int) -> None:
        if size:
            with self.sending() as h2:
                h2.acknowledge_received_data(size, number)

    def forget(self, stream: Stream) -> None:
        self.streams.pop(stream.number, None)
        if not self.streams:
            self.idle()

    def close(self, code: ErrorCodes = ErrorCodes.NO_ERROR) -> None:
        """Say goodbye and close, ending the streams."""
        with self.sending() as h2:
            h2.close_connection(code)
        self.is_going_away = True
        if self.transport is not None:
            self.transport.close()

    # Frames.

    def _handle(self, event: Event) -> None:
        match event:
            case RequestReceived() | ResponseReceived():
                is_end = event.stream_ended is not None
                self.opened(event.stream_id, cast(Headers, event.headers), is_end=is_end)
            case DataReceived():
                self._received(event.stream_id, event.data or b"", event.flow_controlled_length or 0)
            case TrailersReceived() if stream := self.streams.get(event.stream_id):
                stream.received_end(cast(Headers, event.headers))
            case StreamEnded() if stream := self.streams.get(event.stream_id):
                stream.received_end()
            case StreamReset() if stream := self.streams.get(event.stream_id):
                self.was_reset()
                stream.received_reset(int(event.error_code or 0))
            case WindowUpdated(stream_id=number) if number and (stream := self.streams.get(number)):
                stream.pump()
            case WindowUpdated() | RemoteSettingsChanged():
                self._pump_all()
            case _:
                pass

    def _go_away(self, last_stream: int) -> None:
        self.is_going_away = True
        if self.is_client_side:
            for stream in [stream for number, stream in self.streams.items() if number > last_stream]:
                stream.received_reset(ErrorCodes.REFUSED_STREAM)
        if not self.streams:
            self.idle()

    def was_reset(self) -> None:
        """The peer has reset a stream."""

    def _received(self, number: int, data: bytes, size: int) -> None:
        stream = self.streams.get(number)
        if stream is None:
            self.acknowledge(number, size)
        else:
            stream.received(data, size)

    def _pump_all(self) -> None:
        for stream in list(self.streams.values()):
            stream.pump()
