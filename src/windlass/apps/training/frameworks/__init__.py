"""One module per framework: its kind, roles and environment. Modules in this package are discovered automatically."""

from importlib import import_module
from pkgutil import iter_modules

from windlass.apps.training.framework import Framework

FRAMEWORKS: tuple[Framework, ...] = tuple(
    import_module(f"{__name__}.{found.name}").FRAMEWORK for found in iter_modules(__path__)
)
BY_KIND = {framework.name: framework for framework in FRAMEWORKS}
