"""Environment variables of containers."""

from windlass.kube.json import Object


def variable(name: str, value: object) -> Object:
    """Return an entry of a container's `env`."""
    return {"name": name, "value": str(value)}
