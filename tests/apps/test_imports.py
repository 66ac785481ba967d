"""What an app imports: of other apps, their kinds and names."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import grimp
import pytest

import windlass
from windlass.apps import APPS

SOURCE = Path(windlass.__file__).parent
VOCABULARY = ("kinds", "names")
"""Modules, or packages, of an app that other apps may import."""
EXCEPTIONS = {
    (
        "trainer.descriptions",
        "jobset.descriptions",
    ): "a runtime contains the spec of a JobSet",
    ("training.jobs.explain.forecast", "trainer.simulated_pods"): "a forecast expands TrainJobs to their pods",
    ("training.web.views.simulations", "trainer.simulated_pods"): "a simulation expands TrainJobs to their pods",
    ("volcano.app", "training.frameworks"): "a framework declares its kind, and may own pods that get a PodGroup",
}
"""Other imports between two apps, and their reasons."""
PROGRAMS = ("node/images/programs", "apps/training/commands/demo/demo_training")
"""Folders of programs that run in pods; Windlass itself does not import them."""


@cache
def imports_between_apps() -> set[tuple[str, str]]:
    """Importing and imported module of each import, such as `("trainer.app", "jobset.kinds")`."""
    graph = grimp.build_graph("windlass", cache_dir=None)
    modules = [module for module in graph.modules if module.startswith("windlass.apps.")]
    return {
        (_below_apps(importing), _below_apps(imported))
        for importing in modules
        for imported in graph.find_modules_directly_imported_by(importing)
        if imported.startswith("windlass.apps.") and _app_of(imported) != _app_of(importing)
    }


def _below_apps(module: str) -> str:
    return module.removeprefix("windlass.apps.")


def _app_of(module: str) -> str:
    return _below_apps(module).partition(".")[0]


def test_an_app_imports_only_kinds_and_names_of_another() -> None:
    others = {
        (importing, imported)
        for importing, imported in imports_between_apps()
        if imported.partition(".")[2].partition(".")[0] not in VOCABULARY
    }

    assert others == EXCEPTIONS.keys()


def test_each_package_is_known_to_the_contracts() -> None:
    """Contracts leave out a folder without an `__init__.py`."""
    folders = {path.parent.relative_to(SOURCE) for path in SOURCE.rglob("*.py")}
    parents = {parent for folder in folders for parent in (folder, *folder.parents)}

    assert (
        sorted(
            str(folder)
            for folder in parents
            if not (SOURCE / folder / "__init__.py").exists() and not str(folder).startswith(PROGRAMS)
        )
        == []
    )


def test_each_folder_of_an_app_is_listed() -> None:
    assert sorted(path.parent.name for path in SOURCE.glob("apps/*/__init__.py")) == sorted(APPS)


@pytest.mark.parametrize("part", ["controllers", "web", "commands"])
def test_the_declarations_load_no_other_process(part: str) -> None:
    """The server loads no controller, the manager no page, and neither of them a command."""
    program = f"""
import sys
from windlass.apps import all_apps
all_apps()
print(*(name for name in sys.modules if name.startswith("windlass.apps.") and ".{part}" in name))
"""
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout

    assert loaded.split() == []
