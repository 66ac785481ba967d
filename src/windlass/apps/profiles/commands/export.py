"""`windlass profile export`: a profile's objects, and the files of its volumes, as one archive."""

import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from windlass.cli import screen
from windlass.cli.connection import with_client
from windlass.cli.failure import Failure
from windlass.cli.manifests import as_yaml
from windlass.cli.option_types import PATH
from windlass.cli.settings import ClusterFlags, data_dir_at, takes

if TYPE_CHECKING:
    from windlass.apps.profiles.exported import Export
    from windlass.kube.client import Client
    from windlass.kube.json import Object


class Contents(NamedTuple):
    profile: "Object"
    export: "Export"
    folders: dict[str, Path]
    """Of each claim whose volume is a folder of this machine."""
    elsewhere: list[str]
    """Claims with a volume that is not."""


@click.command()
@click.argument("name")
@click.option("-o", "--output", "file", type=PATH, required=True, metavar="FILE", help="Archive to write (.tar.gz).")
@click.option("--with-secrets", is_flag=True, help="Include Secrets: keep the archive safe.")
@click.option("--with-data", is_flag=True, help="Include the files of volumes that are on this machine.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@takes(ClusterFlags)
def export(settings: ClusterFlags, name: str, file: Path, *, with_secrets: bool, with_data: bool, force: bool) -> None:
    """Write a profile's objects as YAML that kubectl can apply, and the files of its volumes.

    What controllers make of other objects, status and events are left out. Finished jobs and pods are in a file of
    their own, since applying them would run them again.
    """
    if file.exists() and not force:
        raise Failure(f"{file} already exists. Choose another name, or replace it with --force")
    volumes = data_dir_at(settings.data_dir).root / "volumes"
    contents = with_client(settings, lambda client: _contents(client, name, volumes, with_secrets=with_secrets))
    try:
        problems = write_archive(file, name, contents, with_data=with_data)
    except OSError as error:
        raise Failure(f"cannot write {file}: {error.strerror or error}") from error
    for problem in problems:
        click.echo(problem, err=True)
    count = len(contents.export.objects)
    finished = f" and {len(contents.export.finished)} finished ones" if contents.export.finished else ""
    click.echo(f"Exported profile {name} to {screen.short_path(file)}: {count} objects{finished}.")
    if with_data and problems:
        raise Failure("not all files of the volumes are in the archive")


async def _contents(client: "Client", name: str, volumes: Path, *, with_secrets: bool) -> Contents:
    from windlass.apps.profiles.exported import export_of, exported_kinds, portable
    from windlass.apps.profiles.kinds import Profile
    from windlass.kube.errors import ApiError
    from windlass.kube.json import Object
    from windlass.kube.kind import KINDS, Kind

    kind = KINDS.of(Profile)
    profile = portable({**await client.get(kind, name), "apiVersion": kind.api_version, "kind": kind.name})
    kinds = exported_kinds(await client.discovery.refresh(), with_secrets=with_secrets)
    found: list[tuple[Kind, list[Object]]] = []
    for each in kinds:
        try:
            found.append((each, (await client.list(each, name)).items))
        except ApiError as error:
            if error.code not in (404, 405):
                raise
    folders, elsewhere = await _folders(client, name, volumes)
    return Contents(profile, export_of(found), folders, elsewhere)


async def _folders(client: "Client", namespace: str, volumes: Path) -> tuple[dict[str, Path], list[str]]:
    from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim
    from windlass.apis.local_volumes import DRIVERS, folder_name_error
    from windlass.kube.json import dig
    from windlass.kube.kind import KINDS

    folders: dict[str, Path] = {}
    elsewhere: list[str] = []
    known = {dig(one, "metadata", "name"): one for one in (await client.list(KINDS.of(PersistentVolume))).items}
    for claim in (await client.list(PersistentVolumeClaim, namespace)).items:
        volume = known.get(claim.spec.volume_name)
        if volume is None:
            continue
        handle = str(dig(volume, "spec", "csi", "volumeHandle") or "")
        is_local = dig(volume, "spec", "csi", "driver") in DRIVERS and not folder_name_error(handle)
        if is_local and (volumes / handle).is_dir():
            folders[claim.metadata.name] = volumes / handle
        else:
            elsewhere.append(claim.metadata.name)
    return folders, elsewhere


def write_archive(file: Path, name: str, contents: Contents, *, with_data: bool) -> list[str]:
    """Write the archive, which appears under its name when it is complete; return what could not be included."""
    problems: list[str] = []
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as folder:
        partial = Path(folder) / "export.tar.gz"
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as raw:  # noqa: PTH123 - of an fd
            with tarfile.open(fileobj=raw, mode="w:gz") as tar:
                _add_yaml(tar, f"{name}/profile.yaml", [contents.profile])
                _add_yaml(tar, f"{name}/objects.yaml", contents.export.objects)
                _add_yaml(tar, f"{name}/finished.yaml", contents.export.finished)
                if with_data:
                    problems += [f"the volume of claim {claim} is not on this machine" for claim in contents.elsewhere]
                    for claim, source in contents.folders.items():
                        problems += _add_folder(tar, source, f"{name}/volumes/{claim}")
            raw.flush()
            os.fsync(raw.fileno())
        partial.replace(file)
    return problems


def _add_yaml(tar: tarfile.TarFile, name: str, objects: "list[Object]") -> None:
    if objects:
        data = as_yaml(objects).encode()
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(data), 0o600
        tar.addfile(entry, io.BytesIO(data))


def _add_folder(tar: tarfile.TarFile, source: Path, name: str) -> Iterator[str]:
    """Add a folder with its files and links as they are, without sockets and pipes; yield what cannot be read."""
    for parent, folders, files in os.walk(source, onerror=None):
        place = Path(parent)
        for entry in (place, *(place / one for one in files), *(place / one for one in folders)):
            target = f"{name}/{entry.relative_to(source)}".removesuffix("/.")
            is_link_or_file = entry.is_symlink() or entry.is_file() or entry == place
            if not is_link_or_file:
                continue
            try:
                tar.add(entry, target, recursive=False)
            except (PermissionError, FileNotFoundError) as error:
                yield f"{target} is left out: {error.strerror}"
