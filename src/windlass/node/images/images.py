# pyright: strict
"""The images of a node: looks them up, and builds them if necessary."""

import asyncio
import hashlib
import os
import shlex
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec

from windlass.apis.pod_packages import PodPackages
from windlass.node.images import busybox, interpreters, mappings, pipconfig, shipped
from windlass.node.images.builds import Builds
from windlass.node.images.catalogue import Catalogue, Environment, Match
from windlass.node.images.environments import NO_PACKAGES, Environments, Record, key_of
from windlass.node.images.image import Image, PullFailed, UnknownImage
from windlass.node.images.mappings import BadMappings
from windlass.node.images.package_failures import PackageFailures
from windlass.node.images.pipconfig import PipConfig
from windlass.node.images.reference import InvalidReference, Reference, parse

PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Folders in which a pod finds the host's programs."""

PACKAGES_TIMEOUT = timedelta(minutes=10)
"""How long a container waits for packages that it could install itself."""


class Images:
    """Images of the data directory `data`: its images.yaml, and environments in `root` (default: node/images in it)."""

    def __init__(
        self, data: Path, *, root: Path | None = None, timeout: float = 3600.0, at_once: int | None = None
    ) -> None:
        data = data.resolve()
        self.mappings_file = data / "images.yaml"
        self.environments = Environments(images_root(data, root))
        self.environments.prepare()
        self.environments.add_pods_folder(data / "node" / "pods")
        self.builds = Builds(self.environments, timeout=timeout, at_once=at_once)
        self.config: PipConfig = pipconfig.read()
        self._catalogue: Catalogue | None = None
        self._read_at: tuple[int, int] | None = None
        self._found: dict[str, tuple[Reference, Match, str]] = {}
        self._ready: dict[tuple[str, str], tuple[Record, Image]] = {}
        self._plain: dict[str, Image] = {}
        self._failures = PackageFailures()

    def present(self, reference: str, packages: PodPackages = NO_PACKAGES) -> Image | None:
        """Return the image if it can run immediately, with `packages` in its environment. Raises UnknownImage.

        Packages are only for images that are built. If they could not be installed a short while ago, it is the image
        without them, with a warning.
        """
        parsed, found, key = self.find(reference)
        if not needs_build(found.environment):
            return self._plain_image(reference, parsed, found)
        if packages:
            key = key_of(found.environment, self.config, packages)
            reason = self._failures.recent(key)
            if reason is not None:
                return _without_packages(self.present(reference), packages, reason)
        record = self.environments.get(key)
        return None if record is None else self._image(reference, parsed, found, record)

    async def pull(
        self,
        reference: str,
        progress: Callable[[str], None] = lambda line: None,
        packages: PodPackages = NO_PACKAGES,
    ) -> Image:
        """Return the image, building it if necessary. Raises UnknownImage, PullFailed.

        If only `packages` cannot be installed, it is the image without them, with a warning.
        """
        there = self.present(reference, packages)
        if there is not None:
            return there
        parsed, found, _ = self.find(reference)
        if packages:
            await self._add_packages(found.environment, progress, packages)
            if self.present(reference, packages) is None:  # neither with the packages nor without
                await self.pull(reference, progress)
            return self.present(reference, packages) or await self.pull(reference, progress)
        try:
            record = await self.builds.build(found.environment, self.config, progress)
        except OSError as error:
            raise PullFailed(f"{error.strerror or error}: {error.filename or self.environments.root}") from error
        return self._image(reference, parsed, found, record)

    async def _add_packages(
        self, environment: Environment, progress: Callable[[str], None], packages: PodPackages
    ) -> None:
        """Build an environment with packages, or remember why that is not possible."""
        try:
            async with asyncio.timeout(PACKAGES_TIMEOUT.total_seconds()):
                await self.builds.build(environment, self.config, progress, packages)
        except (PullFailed, OSError) as error:  # a TimeoutError is an OSError
            self._failures.add(key_of(environment, self.config, packages), str(error) or type(error).__name__)

    def described(self, reference: str) -> Image:
        """Return what the image would run, without building anything. Raises UnknownImage."""
        parsed, found, _ = self.find(reference)
        return _described(parsed, found)

    def find(self, reference: str) -> tuple[Reference, Match, str]:
        """Look the image up in the catalogue; returns the match and its environment's key. Raises UnknownImage."""
        catalogue = self._current()
        known = self._found.get(reference)
        if known is not None:
            return known
        try:
            parsed = parse(reference)
        except InvalidReference as error:
            raise UnknownImage(str(error)) from error
        found = catalogue.find(parsed)
        if found is None:
            raise UnknownImage(unknown(parsed))
        lacking = [one for one in found.environment.programs if shutil.which(one, path=PROGRAMS) is None]
        if lacking:
            raise UnknownImage(missing_program(parsed, lacking[0], found.environment.install))
        entry = (parsed, found, key_of(found.environment, self.config))
        self._found[reference] = entry
        return entry

    def _current(self) -> Catalogue:
        """Return the catalogue, reloaded when images.yaml has changed."""
        try:
            facts = os.stat(self.mappings_file)  # noqa: PTH116 - a hot path
            at = (facts.st_mtime_ns, facts.st_ino)
        except FileNotFoundError:
            at = (0, 0)
        if self._catalogue is None or at != self._read_at:
            try:
                self._catalogue = Catalogue(mappings.load(self.mappings_file), mappings.builtin())
            except BadMappings as error:
                raise UnknownImage(f"images cannot be looked up: {error}") from error
            self._read_at = at
            self._found.clear()
            self._ready.clear()
            self._plain.clear()
        return self._catalogue

    def _plain_image(self, reference: str, parsed: Reference, found: Match) -> Image:
        wanted = found.environment
        if not wanted.brings and not wanted.files and not wanted.busybox:
            return _plain(parsed, found)
        known = self._plain.get(reference)
        if known is None:
            known = self._plain[reference] = _with_shipped(_plain(parsed, found), wanted, self.environments.root)
        return known

    def _image(self, reference: str, parsed: Reference, found: Match, record: Record) -> Image:
        self.environments.record_use(record, parsed.familiar)
        ready = self._ready.get((reference, record.key))
        if ready is None or ready[0] is not record:
            ready = self._ready[reference, record.key] = (record, self._whole(parsed, found, record))
        return ready[1]

    def _whole(self, parsed: Reference, found: Match, record: Record) -> Image:
        return _with_shipped(_built(parsed, found, record), found.environment, self.environments.root)


def _without_packages(image: Image | None, packages: PodPackages, reason: str) -> Image | None:
    if image is None:
        return None
    names = ", ".join((*packages.whole, *packages.alone))
    warning = f"the image does not have {names}, which the container installs itself if it can: {reason}"
    return msgspec.structs.replace(image, warnings=(*image.warnings, warning))


def images_root(data: Path, root: Path | None) -> Path:
    return root.resolve() if root else data / "node" / "images"


def needs_build(environment: Environment) -> bool:
    return bool(environment.python or environment.packages)


def unknown(reference: Reference) -> str:
    name = reference.familiar
    return (
        f'image "{name}" is not in the catalogue, and there is no engine to pull it with: map it to an environment, '
        f"e.g. windlass images add {name} --python 3.11 --package NAME, or allow all: `lenient: true` in images.yaml"
    )


def missing_program(reference: Reference, program: str, install: str) -> str:
    name = reference.familiar
    how = f"install {program} ({install})" if install else f"install {program}"
    return (
        f'image "{name}" stands for the program {program}, which is not on this machine: '
        f"{how}, or say what to run instead: windlass images add {name} …"
    )


def remedy(reference: Reference, wanted: Environment) -> str:
    """Return what to do about an image of which only the environment is available; empty if its program is too."""
    if not wanted.needs_command and (wanted.entrypoint or wanted.command):
        return ""
    name = reference.familiar
    options = [f"--python {wanted.python}"] if wanted.python else []
    options += [f"--package {shlex.quote(package)}" for package in wanted.packages]
    options += [f"--path {shlex.quote(wanted.path)}"] if wanted.path else []
    mapping = " ".join(("windlass images add", name, *options, "--command 'python3 train.py'"))
    return (
        f'the program of image "{name}" is not on this machine, only its environment. '
        f"Give the container a command in its manifest, or say what the image runs, e.g. {mapping}"
    )


def _described(reference: Reference, found: Match) -> Image:
    """Return the image as its rule describes it."""
    wanted = found.environment
    return Image(
        reference=str(reference),
        id=_identity(wanted, wanted.path),
        environment=wanted.env,
        entrypoint=wanted.entrypoint,
        command=wanted.command,
        needs_command=wanted.needs_command,
        remedy=remedy(reference, wanted),
        working_dir=wanted.workdir,
        user=wanted.user,
        warnings=found.warnings,
    )


def _built(reference: Reference, found: Match, record: Record) -> Image:
    wanted = found.environment
    return msgspec.structs.replace(
        _described(reference, found),
        id=_identity(wanted, record.key),
        prefixes=record.prefixes,
        path=(f"{record.folder}/bin", f"{record.packages}/bin"),
        environment={"VIRTUAL_ENV": record.folder, "PYTHON_VERSION": record.version, **wanted.env},
        size=record.size,
        warnings=(*found.warnings, *record.warnings),
    )


def _with_shipped(image: Image, wanted: Environment, root: Path) -> Image:
    """Add the programs and files that the image's rule names."""
    if wanted.brings:
        brought = shipped.bring(root, wanted.brings)
        prefixes = interpreters.outside((*image.prefixes, *brought.prefixes))
        image = msgspec.structs.replace(image, prefixes=prefixes, path=(brought.folder, *image.path))
    if wanted.busybox:
        image = busybox.added_to(image, root, PROGRAMS)
    if wanted.files:
        files = shipped.files(root, wanted.files, ":".join((*image.path, PROGRAMS)))
        image = msgspec.structs.replace(image, files={**image.files, **files})
    return image


def _plain(reference: Reference, found: Match) -> Image:
    """Return an image that runs the host's programs, or an existing environment."""
    path = found.environment.path
    described = _described(reference, found)
    if not path:
        return described
    variables = {"VIRTUAL_ENV": path, **described.environment}
    return msgspec.structs.replace(described, prefixes=existing(path), path=(f"{path}/bin",), environment=variables)


def existing(path: str) -> tuple[str, ...]:
    """Return the folders of a user's environment: itself and the Python that it links to. Raises UnknownImage."""
    program = Path(path) / "bin" / "python"
    if not Path(path).is_dir():
        raise UnknownImage(f"the environment {path} does not exist (any more): create it, or map the image again")
    if not program.exists():
        return interpreters.outside((path,))
    base = program.resolve().parent.parent
    return interpreters.outside((path, os.path.realpath(path), str(base)))


def _identity(wanted: Environment, key: str) -> str:
    return "sha256:" + hashlib.sha256(msgspec.json.encode([wanted, key])).hexdigest()
