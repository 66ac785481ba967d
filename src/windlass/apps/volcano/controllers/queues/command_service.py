"""Commands whose target is a queue: each is deleted first and then followed, so that none is followed twice."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from windlass.apis.scheduling_volcano_v1beta1 import Queue
from windlass.apis.wellknown import VOLCANO_SCHEDULING_GROUP
from windlass.apps.volcano.controllers.names import (
    CLOSE_QUEUE,
    CLOSED,
    CLOSING,
    COMMAND,
    COMPONENT,
    OPEN,
    OPEN_QUEUE,
    POD_GROUP,
    QUEUE,
    ROOT_QUEUE,
)
from windlass.apps.volcano.controllers.queues.queue_steps import (
    OPENED,
    SHUT,
    is_closed_by_parent,
    is_shut,
    marked,
    shut_state,
)
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.api import About
from windlass.kube.controller import Runtime, Service
from windlass.kube.errors import ApiError, Conflict, NotFound
from windlass.kube.json import Object as Json
from windlass.kube.json import dig
from windlass.kube.meta import Key
from windlass.kube.plan import Event
from windlass.kube.view import typed, untyped

NAME = "volcano-queue-command"
TRIES = 8  # looks at a queue that changes meanwhile
GROUP = VOLCANO_SCHEDULING_GROUP


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command does to its queue, and the event about it."""

    event: Event
    state: str = ""
    patch: Json | None = None


def is_for_queue(command: Command) -> bool:
    target = command.target
    return target is not None and target.kind == QUEUE.name and target.api_version.rpartition("/")[0] in ("", GROUP)


def obey(action: str, queue: Queue, parent: Queue | None, *, has_groups: bool) -> Answer | None:
    """None: the queue is as the command wants it already."""
    state, name = queue.status.state or OPEN, queue.metadata.name
    match action:
        case "OpenQueue":
            if is_shut(parent):
                return Answer(_refused(OPEN_QUEUE, f"Open queue failed for its parent {queue.spec.parent} is not open"))
            return Answer(OPENED, OPEN) if state != OPEN else None
        case "CloseQueue":
            if name == ROOT_QUEUE:
                return Answer(_refused(CLOSE_QUEUE, "Close queue failed for the root queue cannot be closed"))
            patch = marked(False) if is_closed_by_parent(queue) else None  # it stays closed when its parent opens
            if state in (CLOSING, CLOSED):
                return Answer(SHUT, patch=patch) if patch else None
            return Answer(SHUT, shut_state({"": int(has_groups)}), patch)
        case _:
            return Answer(_refused("InvalidCommand", f"a queue knows OpenQueue and CloseQueue, not {action!r}"))


def _refused(reason: str, message: str) -> Event:
    return Event(reason=reason, message=message, warning=True)


class Commands:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime, self._api = runtime, runtime.api
        self._queue = runtime.queue(NAME)
        self._commands = runtime.store(typed(Command))
        self._queues, self._groups = runtime.store(typed(Queue)), runtime.store(untyped(POD_GROUP))

    def start(self) -> None:
        self._commands.subscribe(self)
        self._runtime.work(NAME, self._queue, self.follow, 1, self._about)

    def _about(self, key: Key) -> About | None:
        command = self._commands.get(key)
        return None if command is None else (command, COMMAND)

    def added(self, command: Command, /) -> None:
        if is_for_queue(command):
            self._queue.add(command.metadata.key)

    def changed(self, _: Command, new: Command, /) -> None:
        self.added(new)

    def deleted(self, _: Command, /) -> None:
        """It was followed, or taken back."""

    async def follow(self, key: Key) -> timedelta | None:
        await self._groups.synced.wait()
        command = self._commands.get(key)
        if command is None or command.target is None:
            return None
        try:
            await self._api.delete(COMMAND, key, uid=command.metadata.uid)
        except (NotFound, Conflict):  # another has followed it, or it was taken back
            return None
        queue = await self._find(command.target.name)
        if queue is None or command.target.uid not in ("", queue.metadata.uid):
            return None
        said = f"Start to execute command {command.action}, and clean it up to make sure executed not more than once."
        self._runtime.record(COMPONENT, queue, QUEUE, "CommandIssued", said)
        try:
            await self._carry_out(command.action, queue)
        except ApiError as error:
            verb = "Open" if command.action == OPEN_QUEUE else "Close"
            self._runtime.warn(COMPONENT, queue, QUEUE, command.action, f"{verb} queue failed for {error.message}")
        return None

    async def _carry_out(self, action: str, queue: Queue) -> None:
        """Decide on the queue as it is now, and once more if it changes before that is written."""
        for _ in range(TRIES):
            parent = await self._find(queue.spec.parent) if queue.spec.parent else None
            answer = obey(action, queue, parent, has_groups=self._has_groups(queue.metadata.name))
            if answer is None:
                return
            with suppress(Conflict):
                await self._write(queue, answer)
                record = self._runtime.warn if answer.event.warning else self._runtime.record
                record(COMPONENT, queue, QUEUE, answer.event.reason, answer.event.message)
                return
            queue = await self._api.get(typed(Queue), queue.metadata.name)
        raise Conflict(f"queue {queue.metadata.name} kept changing")

    async def _write(self, queue: Queue, answer: Answer) -> None:
        key, version = queue.metadata.key, queue.metadata.resource_version
        if answer.patch is not None:
            patch: Json = {"metadata": {**answer.patch["metadata"], "resourceVersion": version}}
            version = str(dig(await self._api.patch(QUEUE, key, patch), "metadata", "resourceVersion"))
        if answer.state:
            await self._api.set_status(QUEUE, key, {"state": answer.state}, resource_version=version)

    async def _find(self, name: str) -> Queue | None:
        with suppress(NotFound):
            return await self._api.get(typed(Queue), name)
        return None

    def _has_groups(self, queue: str) -> bool:
        return any(dig(group, "spec", "queue") == queue for group in self._groups)


CONTROLLER = Service(NAME, lambda runtime: Commands(runtime).start())
