from tests.kube.live import bare_server, client, room

__all__ = ["bare_server", "client", "room"]
