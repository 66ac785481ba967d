"""Record that someone uses a server: for the apps that ask for it, and on the session of the user."""

from importlib import import_module
from typing import Protocol

from windlass.apis.access import Access
from windlass.apps import entrances
from windlass.gateway.proxy.decision import Decision
from windlass.gateway.proxy.entrances.lookup import entrance_of
from windlass.gateway.sessions.store import Sessions
from windlass.kube.client import Client
from windlass.kube.meta import Key


class Recorder(Protocol):
    """What `Entrance.on_use` names, made with the gateway's client."""

    def record(self, key: Key) -> None:
        """Someone sent something to the server of an object. Called at every request: returns at once."""
        ...


class UseRecorder:
    def __init__(self, client: Client, sessions: Sessions) -> None:
        self._sessions = sessions
        self._recorders = {
            entrance.prefix: recorder_named(entrance.on_use, client) for entrance in entrances() if entrance.on_use
        }

    def record(self, access: Access | None) -> None:
        """A request passed to the server of the object that `access` names."""
        entrance = entrance_of(access)
        if access is None or entrance is None:
            return
        recorder = self._recorders.get(entrance.prefix)
        if recorder is not None:
            recorder.record(Key(access.namespace, access.name))

    def record_data(self, decision: Decision) -> None:
        """A client sent something over an open connection, which authentication does not see."""
        self.record(decision.access)
        if decision.identity.session:
            self._sessions.touch(decision.identity.session)


def recorder_named(name: str, client: Client) -> Recorder:
    """Make the recorder that an entrance names, as `module:class`."""
    module, _, class_name = name.partition(":")
    return getattr(import_module(module), class_name)(client)
