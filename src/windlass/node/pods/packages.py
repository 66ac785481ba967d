"""The packages that a pod names for the image of its main container."""

from windlass.apis.pod_packages import PACKAGES_ANNOTATION, PodPackages, parse_packages
from windlass.kube.json import Object, dig, dig_list

MAIN_CONTAINER = "main"
"""The container of a pipeline's tasks; in pods without one of this name it is the first."""


def packages_of(pod: Object, container: str) -> PodPackages:
    """Return the packages for a container's image; none for any but the main one. Raises ValueError."""
    text = dig(pod, "metadata", "annotations", PACKAGES_ANNOTATION)
    names = [str(each.get("name")) for each in dig_list(pod, "spec", "containers")]
    main = MAIN_CONTAINER if MAIN_CONTAINER in names else next(iter(names), "")
    if not isinstance(text, str) or container != main:
        return PodPackages()
    try:
        return parse_packages(text)
    except ValueError as error:
        raise ValueError(f"annotation {PACKAGES_ANNOTATION}: {error}") from error
