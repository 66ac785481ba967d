"""`windlass kubeconfig`: print the path of the admin's kubeconfig, or merge its context into the user's."""

import os
from pathlib import Path
from typing import Any

import click

from windlass.cli.failure import Failure
from windlass.cli.settings import Settings, data_dir_at, takes
from windlass.formats import yaml_reader, yaml_writer
from windlass.supervisor.credentials import read_kubeconfig
from windlass.supervisor.datadir import write_atomically

NAME = "windlass"
SECTIONS = (("clusters", "cluster"), ("users", "user"), ("contexts", "context"))
PATHS = ("certificate-authority", "client-certificate", "client-key", "tokenFile")


@click.command()
@click.option(
    "--merge",
    is_flag=True,
    help=f"Add it to your kubeconfig ($KUBECONFIG or ~/.kube/config) as context `{NAME}`; nothing else in it changes.",
)
@click.option("--use", is_flag=True, help="With --merge: make it the current context, replacing another.")
@click.option(
    "--user",
    "email",
    metavar="EMAIL",
    help="Make one for this user of the gateway instead, with their rights and a token of 30 days.",
)
@takes(Settings)
def kubeconfig(settings: Settings, merge: bool, use: bool, email: str | None) -> None:
    """Print the path of the kubeconfig, or merge it into yours."""
    data = data_dir_at(settings.data_dir)
    own = read_kubeconfig(data)
    if email is not None:
        from windlass.cli.user.personal_kubeconfig import personal_kubeconfig

        name, path, own = personal_kubeconfig(settings, data, own, email)
    else:
        name, path = NAME, data.kubeconfig
    if not merge:
        if use:
            raise click.UsageError("--use requires --merge")
        click.echo(str(path))
        return
    target = user_kubeconfig(data.kubeconfig)
    current = merge_into(target, named(own, data.root, name), use=use, name=name)
    click.echo(f"Context `{name}` is in {target}.")
    click.echo("It is the current context." if current == name else f"Use it: kubectl --context {name} get namespaces")


def user_kubeconfig(ours: Path) -> Path:
    """The file that kubectl would write to; never Windlass' own, even if KUBECONFIG names that."""
    listed = [Path(entry).expanduser() for entry in os.environ.get("KUBECONFIG", "").split(os.pathsep) if entry]
    others = [path for path in listed if path.absolute() != ours]
    return others[0] if others else Path.home() / ".kube" / "config"


def named(own: dict[str, Any], folder: Path, name: str = NAME) -> dict[str, dict[str, Any]]:
    """The cluster, user and context of Windlass under one name, with absolute paths."""
    found = {one: dict(own[many][0][one]) for many, one in SECTIONS}
    for entry in found.values():
        for key in PATHS:
            if key in entry:
                entry[key] = str(folder / entry[key])
    found["context"] |= {"cluster": name, "user": name}
    return found


def merge_into(target: Path, entries: dict[str, dict[str, Any]], *, use: bool, name: str = NAME) -> str:
    """Write `entries` to the file, replacing those of the same name; return its current context."""
    real = target.resolve()  # of a symbolic link, what it points to is replaced and the link stays
    try:
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(real):
            merged = merge(_read(real), entries, use=use, name=name)
            write_atomically(real, _dump(merged), mode=0o600)
    except OSError as error:
        raise Failure(f"cannot write {target}: {error.strerror}") from error
    return str(merged["current-context"])


def merge(config: dict[str, Any], entries: dict[str, dict[str, Any]], *, use: bool, name: str = NAME) -> dict[str, Any]:
    merged: dict[str, Any] = {"apiVersion": "v1", "kind": "Config", **config}
    for many, one in SECTIONS:
        new = {"name": name, one: entries[one]}
        kept = list(merged.get(many) or [])
        at = next((index for index, entry in enumerate(kept) if entry.get("name") == name), len(kept))
        kept[at : at + 1] = [new]
        merged[many] = kept
    if use or not merged.get("current-context"):
        merged["current-context"] = name
    return merged


def _read(path: Path) -> dict[str, Any]:
    try:
        content = yaml_reader.read(path.read_text())
    except FileNotFoundError:
        return {}
    except (yaml_reader.BadYaml, UnicodeDecodeError) as error:
        raise Failure(f"{path} is not valid YAML, so it was not changed. Fix it first") from error
    if content is None:
        return {}
    if not _is_kubeconfig(content):
        raise Failure(f"{path} is not a kubeconfig, so it was not changed. Fix it first")
    return content


def _is_kubeconfig(content: Any) -> bool:
    if not isinstance(content, dict) or content.get("kind", "Config") != "Config":
        return False
    lists = [content.get(many) or [] for many, _ in SECTIONS]
    return all(isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries) for entries in lists)


def _dump(config: dict[str, Any]) -> bytes:
    return yaml_writer.write(config).encode()


class _locked:
    """Lock `config.lock` next to the file, as kubectl does to exclude other writers."""

    def __init__(self, path: Path) -> None:
        self._lock = path.with_name(path.name + ".lock")

    def __enter__(self) -> None:
        try:
            os.close(os.open(self._lock, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError as error:
            raise Failure(f"another program is writing it. If none is, delete {self._lock}") from error

    def __exit__(self, *_: object) -> None:
        self._lock.unlink(missing_ok=True)
