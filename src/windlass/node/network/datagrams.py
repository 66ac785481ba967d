"""Relays datagrams between two networks: one socket in the first, and one per client in the second.

A client's replies come from the address that it sent to, and only from its own session. As with every datagram, what
cannot be forwarded immediately is lost.
"""

import asyncio
import logging
import socket
from collections import deque
from typing import NamedTuple

from windlass.node.network.relay import Connect

log = logging.getLogger(__name__)

Client = tuple[str, int]
_MAX_BUFFERED = 32  # datagrams kept while a client's socket is made
_AT_ONCE = 64  # datagrams taken before others have their turn
_LARGEST = 65535


class Bounds(NamedTuple):
    """How many clients a relay serves at once, with a descriptor each, and how long it keeps an idle one."""

    clients: int = 256
    idle: float = 30.0  # seconds, as the kernel's connection tracking
    idle_stream: float = 120.0


class Session:
    """One client's session. It is a stream once the client has sent again after a reply."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.far: socket.socket | None = None
        self.waiting: deque[bytes] = deque(maxlen=_MAX_BUFFERED)
        self._used, self._has_answer, self._is_stream = 0.0, False, False

    def spoke(self, now: float) -> None:
        self._used, self._is_stream = now, self._has_answer

    def answered(self, now: float) -> None:
        self._used, self._has_answer = now, True

    def ends_at(self, bounds: Bounds) -> float:
        return self._used + (bounds.idle_stream if self._is_stream else bounds.idle)


class DatagramRelay:
    """Serves one bound datagram socket until closed; its sessions end with it."""

    def __init__(self, near: socket.socket, connect: Connect, name: str, bounds: Bounds | None = None) -> None:
        self._near, self._connect, self._name, self._bounds = near, connect, name, bounds or Bounds()
        self._loop = asyncio.get_running_loop()
        self._sessions: dict[Client, Session] = {}  # the one that was used last is the last
        self._opening: set[asyncio.Task[None]] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self._loop.add_reader(near, self._arrived)

    @property
    def clients(self) -> list[Client]:
        """The clients with a session."""
        return list(self._sessions)

    def close(self) -> None:
        self._loop.remove_reader(self._near)
        self._near.close()
        self.forget()
        if self._sweep is not None:
            self._sweep.cancel()

    def forget(self) -> None:
        """End all sessions; clients that send again get a new one."""
        for session in list(self._sessions.values()):
            self._end(session)

    # From the client

    def _arrived(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                data, client = self._near.recvfrom(_LARGEST)
            except BlockingIOError:
                return
            except OSError as error:
                log.debug("dropped a datagram relay=%s error=%s", self._name, error)
                return
            session = self._sessions.get(client) or self._begin(client)
            session.spoke(self._loop.time())
            self._put_last(session)
            if session.far is None:
                session.waiting.append(data)
            else:
                self._send(session, session.far, data)

    def _begin(self, client: Client) -> Session:
        while len(self._sessions) >= self._bounds.clients:
            self._end(next(iter(self._sessions.values())))
        session = self._sessions[client] = Session(client)
        task = self._loop.create_task(self._open(session), name=f"relay {self._name}")
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)
        if self._sweep is None:
            self._sweep = self._loop.call_later(self._bounds.idle, self._end_idle)
        return session

    async def _open(self, session: Session) -> None:
        try:
            far = await self._connect()
        except OSError as error:
            self._lost(session, error)
            return
        if self._sessions.get(session.client) is not session:
            far.close()
            return
        session.far = far
        self._loop.add_reader(far, self._answered, session, far)
        while session.waiting and session.far is not None:
            self._send(session, far, session.waiting.popleft())

    def _send(self, session: Session, far: socket.socket, data: bytes) -> None:
        try:
            far.send(data)
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(session, error)

    # To the client

    def _answered(self, session: Session, far: socket.socket) -> None:
        for _ in range(_AT_ONCE):
            try:
                data = far.recv(_LARGEST)
            except BlockingIOError:
                return
            except OSError as error:
                self._lost(session, error)
                return
            session.answered(self._loop.time())
            self._put_last(session)
            try:
                self._near.sendto(data, session.client)
            except OSError as error:
                log.debug("dropped a reply relay=%s error=%s", self._name, error)

    # Ends

    def _put_last(self, session: Session) -> None:
        self._sessions[session.client] = self._sessions.pop(session.client)

    def _lost(self, session: Session, error: OSError) -> None:
        """End a session whose socket failed; the client's next datagram begins another, perhaps to another endpoint."""
        log.debug("no endpoint answers relay=%s error=%s", self._name, error)
        self._end(session)

    def _end(self, session: Session) -> None:
        if self._sessions.get(session.client) is session:
            del self._sessions[session.client]
        if session.far is not None:
            self._loop.remove_reader(session.far)
            session.far.close()
            session.far = None

    def _end_idle(self) -> None:
        now = self._loop.time()
        for session in [each for each in self._sessions.values() if each.ends_at(self._bounds) <= now]:
            self._end(session)
        self._sweep = self._loop.call_later(self._bounds.idle / 4, self._end_idle) if self._sessions else None
