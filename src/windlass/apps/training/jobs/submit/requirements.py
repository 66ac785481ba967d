"""What the replicas of a script install before it starts: declared dependencies, or those of its imports."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windlass.apps.training.jobs.errors import JobsError
from windlass.apps.training.jobs.submit import imports, packages
from windlass.apps.training.jobs.submit.manifest import NOTHING, Install
from windlass.apps.training.jobs.submit.packages import PYPROJECT, REQUIREMENTS, BadMetadata, join_names


@dataclass(frozen=True, kw_only=True)
class InstallPlan:
    install: Install = NOTHING
    message: str = ""
    """A sentence about it, for the user."""


def plan_install(
    script: Path, folder: Path, modules: tuple[str, ...], path_in_archive: Callable[[Path], str]
) -> InstallPlan:
    """Decide what to install: declared dependencies take precedence over imports; `modules` are in the image.

    `path_in_archive` gives the path of a file in the pods.
    """
    try:
        return _declared(script, folder, path_in_archive) or _imported(script, folder, modules)
    except BadMetadata as error:
        raise JobsError(f"{error}. Correct it, or ignore it with --no-install") from error


def _declared(script: Path, folder: Path, path_in_archive: Callable[[Path], str]) -> InstallPlan | None:
    own = packages.of_script(script.read_text(errors="replace"))
    if own is not None:
        return _listed(own, f"the metadata in {script.name}")
    places = dict.fromkeys((script.parent, folder))
    for place in places:
        if (file := place / REQUIREMENTS).is_file():
            return InstallPlan(
                install=Install(file=path_in_archive(file)),
                message=f" Each replica installs what {path_in_archive(file)} lists.",
            )
    for place in places:
        if (file := place / PYPROJECT).is_file():
            found = packages.of_pyproject(file.read_text(errors="replace"))
            if found is not None:
                return _listed(found, PYPROJECT)
    return None


def _listed(requirements: tuple[str, ...], where: str) -> InstallPlan:
    message = f" Each replica installs what {where} lists: {join_names(requirements)}." if requirements else ""
    return InstallPlan(install=Install(requirements=requirements), message=message)


def _imported(script: Path, folder: Path, modules: tuple[str, ...]) -> InstallPlan:
    found = packages.packages_for(imports.third_party(script, folder), modules)
    if not found:
        return InstallPlan()
    modules_named, names = [module for module, _ in found], list(dict.fromkeys(package for _, package in found))
    them = "it" if len(names) == 1 else "them"
    what = them if names == modules_named else join_names(names)
    message = f" It imports {join_names(modules_named)}: each replica installs {what}, unless its image has {them}."
    return InstallPlan(install=Install(absent=found), message=message)
