"""Stands before the standard library's `venv` in environments that Windlass builds, and extends it.

An image's Python is a virtual environment itself, so `--system-site-packages` would show only the packages of the
machine's Python. Environments made with this option see those of the image, and those that pip has installed in the
container, as in the image that this one stands for.

Written for every Python that images have, 3.8 and later.
"""
# ruff: noqa: PTH100, PTH118, PTH120, PTH123
# (pathlib takes longer to import than everything else here)

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

SHIMS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARENT_PACKAGES = "_windlass_parent.pth"


def standard_venv():
    """Import the standard library's package in the place of this one."""
    spec = PathFinder.find_spec("venv", [path for path in sys.path if path != SHIMS])
    assert spec is not None
    assert spec.loader is not None  # the standard library has it
    module = module_from_spec(spec)
    sys.modules["venv"] = module
    spec.loader.exec_module(module)
    return module


def package_folders():
    """The folders of packages that the image's Python sees, without the machine's: pip's folder first."""
    return [
        path for path in sys.path if path.endswith("site-packages") and not path.startswith(sys.base_prefix + os.sep)
    ]


def write_parent(folder):
    """Add this Python's packages to the environment, after its own."""
    library = os.path.join(folder, "lib", "python{}.{}".format(*sys.version_info), "site-packages")
    with open(os.path.join(library, PARENT_PACKAGES), "w", encoding="utf-8") as file:
        file.write(f"import site; list(map(site.addsitedir, {package_folders()!r}))\n")


def extend(venv):
    class EnvBuilder(venv.EnvBuilder):
        def create_configuration(self, context):
            # Called twice if the option is given; before pip is set up the option is False, which keeps pip isolated.
            super().create_configuration(context)
            if self.system_site_packages:
                write_parent(context.env_dir)

    venv.EnvBuilder = EnvBuilder


extend(standard_venv())
