"""Training jobs: one engine for every framework; what a framework is stands in `windlass.apis.training.frameworks`."""

from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.apis.training.options import DEFAULTS, Options
from windlass.controllers.training.engine.reconcile import controller
from windlass.kube.controller import AnyController


def kinds() -> frozenset[str]:
    """The names of the training kinds, in small letters."""
    return frozenset(framework.name.lower() for framework in FRAMEWORKS)


def controllers(options: Options = DEFAULTS, only: frozenset[str] = frozenset()) -> tuple[AnyController, ...]:
    """What runs training jobs: of all kinds, or of those that `only` names."""
    return tuple(
        controller(framework, options) for framework in FRAMEWORKS if not only or framework.name.lower() in only
    )
