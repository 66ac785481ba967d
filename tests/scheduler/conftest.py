from tests.kube.live import bare_server, client, room
from tests.scheduler.live.objects import pool

__all__ = ["bare_server", "client", "pool", "room"]
