"""Selects the containers that decide a pod's phase: all, unless an annotation names a main container."""

from windlass.kube.json import Object, dig

MAIN_CONTAINER = "training.windlass.dev/main-container"
"""Annotation of a pod.

When the container that it names has ended for good, the others are stopped, and the pod succeeds or fails with it.
"""


def deciding(metadata: Object, containers: list[Object]) -> list[Object]:
    """Return the containers whose exit decides the phase; an annotation that names no container is ignored."""
    wanted = named(metadata)
    return [each for each in containers if each.get("name") == wanted] or containers


def named(metadata: Object) -> str:
    return str(dig(metadata, "annotations", MAIN_CONTAINER) or "")


def problem(metadata: Object, containers: list[Object]) -> str:
    """Return why the annotation cannot be honoured; "" if it is honoured or absent."""
    wanted, known = named(metadata), [str(each.get("name")) for each in containers]
    if not wanted or wanted in known:
        return ""
    return (
        f'metadata.annotations[{MAIN_CONTAINER}]: the pod has no container "{wanted}", so it ends when all of '
        f"{', '.join(known)} have ended"
    )
