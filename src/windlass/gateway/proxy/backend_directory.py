"""Find the ready backends of requests and of objects with an entrance."""

from windlass.apis.istio.routing import SERVICE_PORT
from windlass.gateway.proxy.backends import Backends
from windlass.gateway.proxy.decision import Decision
from windlass.gateway.proxy.entrances.lookup import entrance_to
from windlass.gateway.proxy.entrances.state import EntranceState, EntranceStates, conflict_of
from windlass.gateway.proxy.routing.routes import Backend
from windlass.gateway.proxy.upstream import Address
from windlass.kube.kind import Kind


class BackendDirectory:
    def __init__(self, backends: Backends) -> None:
        self._backends = backends

    def address(self, decision: Decision) -> Address | None:
        """Where a ready backend is; None where there is none, or it is not of the object that was asked for."""
        if self.conflict(decision):
            return None
        return self._backends.address(decision.route.backend)

    def conflict(self, decision: Decision) -> str:
        """Why the Service of a route is not of the object that was asked for; empty where it is."""
        return conflict_of(self._backends.service(decision.route.backend), decision.access)

    def speaks_http2(self, decision: Decision) -> bool:
        return self._backends.speaks_http2(decision.route.backend)

    def states(self, kind: Kind) -> EntranceStates:
        """The states of the entrances to objects of a kind. Raises KeyError for a kind without an entrance."""
        entrance = entrance_to(kind)

        def state(namespace: str, name: str) -> EntranceState:
            backend = Backend(namespace, entrance.service_name(name), SERVICE_PORT)
            conflict = conflict_of(self._backends.service(backend), entrance.access(namespace, name))
            return EntranceState(conflict, self._backends.has_address(backend))

        return state
