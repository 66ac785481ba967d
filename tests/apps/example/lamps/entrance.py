"""The entrance to lamps: `/lamp/<namespace>/<name>/`."""

from windlass.apps.lamps.kinds import Lamp

from windlass.apis.app import Cause, Entrance


def why_not_ready(lamp: Lamp) -> Cause | None:
    return None if lamp.status.is_on else Cause("Off", "the lamp is off")


ENTRANCE = Entrance(prefix="lamp", kind=Lamp, enter="get", why_not_ready=why_not_ready)
