"""One file a framework: its kind, its roles, its environment. A file put here is found, and its kind is served."""

from importlib import import_module
from pkgutil import iter_modules

from windlass.apis.training.framework import Framework

FRAMEWORKS: tuple[Framework, ...] = tuple(
    import_module(f"{__name__}.{found.name}").FRAMEWORK for found in iter_modules(__path__)
)
BY_KIND = {framework.name: framework for framework in FRAMEWORKS}
