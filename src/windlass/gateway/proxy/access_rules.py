"""Which rights a route needs: entering a notebook or a viewer is running code as its service account."""

from windlass.gateway.access.reviews import Access

_NEEDED = {
    "notebook": ("update", "kubeflow.org", "notebooks"),
    "pvcviewers": ("update", "kubeflow.org", "pvcviewers"),
    "tensorboard": ("get", "tensorboard.kubeflow.org", "tensorboards"),
}


def needed_access(path: str) -> Access | None:
    """For `/<app>/<namespace>/<name>/…`; None for the platform's own routes, which need an identity only."""
    segments = path.split("/")
    if len(segments) < 4 or segments[1] not in _NEEDED:
        return None
    verb, group, resource = _NEEDED[segments[1]]
    return Access(verb, group, resource, segments[2], segments[3])


def change_access(path: str) -> Access | None:
    """The right to change the files of a viewer's volume; None for other routes.

    A viewer may have any claim of its namespace, so the right is that to all of them.
    """
    access = needed_access(path)
    if access is None or access.resource != "pvcviewers":
        return None
    return Access("update", "", "persistentvolumeclaims", access.namespace)
