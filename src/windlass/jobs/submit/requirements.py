"""What the replicas of a script install before it starts: declared in files, or found by its imports."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windlass.jobs.errors import JobsError
from windlass.jobs.submit import imports, packages
from windlass.jobs.submit.manifest import NOTHING, Install
from windlass.jobs.submit.packages import PYPROJECT, REQUIREMENTS, BadMetadata, in_words


@dataclass(frozen=True, kw_only=True)
class Needs:
    install: Install = NOTHING
    said: str = ""
    """A sentence about it, for the user."""


def needs_of(script: Path, folder: Path, modules: tuple[str, ...], inside: Callable[[Path], str]) -> Needs:
    """What a script declares wins over what its imports say; `modules` come with the image.

    `inside` is where a file lies in the pods.
    """
    try:
        return _declared(script, folder, inside) or _imported(script, folder, modules)
    except BadMetadata as error:
        raise JobsError(f"{error}. Correct it, or leave it out of account: --no-install") from error


def _declared(script: Path, folder: Path, inside: Callable[[Path], str]) -> Needs | None:
    own = packages.of_script(script.read_text(errors="replace"))
    if own is not None:
        return _listed(own, f"the metadata in {script.name}")
    places = dict.fromkeys((script.parent, folder))
    for place in places:
        if (file := place / REQUIREMENTS).is_file():
            return Needs(install=Install(file=inside(file)), said=f" Each replica installs what {inside(file)} lists.")
    for place in places:
        if (file := place / PYPROJECT).is_file():
            found = packages.of_pyproject(file.read_text(errors="replace"))
            if found is not None:
                return _listed(found, PYPROJECT)
    return None


def _listed(requirements: tuple[str, ...], where: str) -> Needs:
    said = f" Each replica installs what {where} lists: {in_words(requirements)}." if requirements else ""
    return Needs(install=Install(requirements=requirements), said=said)


def _imported(script: Path, folder: Path, modules: tuple[str, ...]) -> Needs:
    found = packages.packages_for(imports.third_party(script, folder), modules)
    if not found:
        return Needs()
    modules_named, names = [module for module, _ in found], list(dict.fromkeys(package for _, package in found))
    them = "it" if len(names) == 1 else "them"
    what = them if names == modules_named else in_words(names)
    said = f" It imports {in_words(modules_named)}: each replica installs {what}, unless its image has {them}."
    return Needs(install=Install(absent=found), said=said)
