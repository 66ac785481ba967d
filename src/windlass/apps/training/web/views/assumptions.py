"""What a forecast takes for granted, as a view. Pure."""

from collections.abc import Iterable

from windlass.apis.assumptions import Assumption
from windlass.gateway.views import parts


def assumption_views(found: Iterable[Assumption]) -> tuple[parts.Assumption, ...]:
    return tuple(parts.Assumption(code=one.code, count=one.count, subject=one.subject, text=str(one)) for one in found)
