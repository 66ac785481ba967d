"""Which right a route needs: entering a notebook or a viewer is running code as its service account."""

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
