"""The kinds that are converted in this process, where a cluster would ask a webhook."""

from windlass.apis.training.common import GROUP
from windlass.apis.training.conversion import OLD_VERSIONS, convert
from windlass.apiserver.crds.conversion import register_converter


def register_converters() -> None:
    """From now on old versions of training jobs are understood."""
    for kind in OLD_VERSIONS:
        register_converter(GROUP, kind, convert)
