"""Which of a pod's containers its life and its phase are judged by: all, unless an annotation names the main one."""

from windlass.kube.json import Object, dig

MAIN_CONTAINER = "training.windlass.dev/main-container"
"""Annotation of a pod. When the container that it names has ended for good, the others are stopped, and the pod has
succeeded or failed as that one has."""


def deciding(metadata: Object, containers: list[Object]) -> list[Object]:
    """The containers whose ends count; a name that none of them has is no name."""
    wanted = named(metadata)
    return [each for each in containers if each.get("name") == wanted] or containers


def named(metadata: Object) -> str:
    return str(dig(metadata, "annotations", MAIN_CONTAINER) or "")


def problem(metadata: Object, containers: list[Object]) -> str:
    """Why the annotation cannot be honoured; "" where it is, or is not there."""
    wanted, known = named(metadata), [str(each.get("name")) for each in containers]
    if not wanted or wanted in known:
        return ""
    return (
        f'metadata.annotations[{MAIN_CONTAINER}]: the pod has no container "{wanted}", so that it ends when all of '
        f"{', '.join(known)} have ended"
    )
