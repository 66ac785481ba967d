"""Whether a cluster has the kinds that controllers look at: else their caches would wait for ever, in silence."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from windlass.cli.failure import Failure

if TYPE_CHECKING:
    from windlass.kube.api import Api
    from windlass.kube.controller import AnyController
    from windlass.kube.kind import Kind


async def require_kinds(api: "Api", controllers: "Iterable[AnyController]") -> None:
    """Raises Failure that names what is not there."""
    wanted = {(kind.group, kind.version, kind.plural): kind for each in controllers for kind in _kinds_of(each)}
    if not wanted:
        return
    served = {(kind.group, kind.version, kind.plural) for kind in await api.served()}
    missing = sorted(str(kind) for place, kind in wanted.items() if place not in served)
    if missing:
        raise Failure(f"--enable-scheme: this cluster does not have {', '.join(missing)}. Install them there")


def _kinds_of(controller: "AnyController") -> "Iterator[Kind]":
    from windlass.kube.controller import Acting, Controller
    from windlass.kube.view import view

    if isinstance(controller, Controller | Acting):
        for source in (controller.kind, *controller.owns, *(source for source, _ in controller.watches)):
            yield view(source).kind
