from tests.kube.live import bare_server, client, room
from tests.node.volumes.mount_program import mount_program

__all__ = ["bare_server", "client", "mount_program", "room"]
