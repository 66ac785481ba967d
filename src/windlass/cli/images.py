"""`windlass images`: how images map to environments on this machine, and the environments that were built."""

import asyncio
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.option_types import WholeNumber
from windlass.cli.settings import ImageFlags, data_dir_at, takes
from windlass.cli.table import render_table
from windlass.formats import yaml_writer

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
OUTPUT = click.option(
    "-o", "--output", type=click.Choice(["text", "json", "yaml"]), default="text", help="Output format."
)


class Age(click.ParamType):
    """A duration such as `30m`, `12h` or `7d`, in seconds."""

    name = "age"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int | float):
            return float(value)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", value)
        if not match:
            self.fail(f"{value!r} is not an age such as 12h or 7d", param, ctx)
        return float(match[1]) * UNITS[match[2]]


@click.group()
def images() -> None:
    """Show, map, build and prune the environments of images."""


@images.command("list")
@OUTPUT
@takes(ImageFlags)
def list_(settings: ImageFlags, output: str) -> None:
    """List built environments, mapped images and images of volumes."""
    from windlass.node.images.environments import Environments
    from windlass.node.images.images import images_root
    from windlass.node.images.mappings import BadMappings, load
    from windlass.node.oci.folders import ImageFolders

    data = data_dir_at(settings.data_dir)
    try:
        mapped = load(data.root / "images.yaml")
    except BadMappings as error:
        raise Failure(str(error)) from error
    root = images_root(data.root, settings.images_dir)
    built = [_entry(record) for record in Environments(root).all()]
    volumes = [_volume_entry(image, references) for image, references in ImageFolders(root).all()]
    rules = [msgspec.to_builtins(rule) for rule in mapped.images]
    if output != "text":
        _echo({"environments": built, "volumes": volumes, "mapped": rules, "lenient": mapped.lenient}, output)
        return
    _print(built, volumes, rules, lenient=mapped.lenient)


@images.command()
@click.argument("name")
@click.option("--python", default="", metavar="VERSION", help="Python version, e.g. 3.11.")
@click.option(
    "--package",
    "packages",
    multiple=True,
    metavar="REQUIREMENT",
    help="Package to install, in pip's syntax; repeatable.",
)
@click.option(
    "--requirements", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Packages from this file."
)
@click.option(
    "--path",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use this existing environment: a directory with bin/.",
)
@click.option("--entrypoint", metavar="WORDS", help="Entrypoint, quoted as in a shell.")
@click.option("--command", metavar="WORDS", help="Command or arguments, unless the pod sets args.")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="Environment variable; repeatable.")
@click.option("--workdir", default="/", metavar="DIR", help="Working directory.  [default: /]")
@click.option("--user", type=WholeNumber(0), help="User ID, unless the pod sets one.")
@click.option("--build", is_flag=True, help="Build the environment now instead of when a pod first needs it.")
@OUTPUT
@takes(ImageFlags)
def add(settings: ImageFlags, name: str, build: bool, output: str, **options: Any) -> None:
    """Map an image to an environment; NAME may be a glob, such as 'me/*' or 'me/app:1.*'."""
    from windlass.node.images import mappings
    from windlass.node.images.catalogue import BadRule

    data = data_dir_at(settings.data_dir)
    path = data.root / "images.yaml"
    rule = rule_from(name, **options)
    try:
        data.prepare()
        intact = mappings.add(path, rule)
    except (BadRule, mappings.BadMappings) as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}") from error
    if output != "text":
        _echo(msgspec.to_builtins(rule), output)
    else:
        click.echo(f"{name} is in {screen.short_path(path)}: {describe(rule)}.")
        if not intact:
            click.echo("The file was rewritten: its comments are lost.")
    if build:
        _build(settings, name, failed="is mapped, but cannot be built", quiet=output != "text")


@images.command()
@click.argument("names", nargs=-1, required=True)
@takes(ImageFlags)
def pull(settings: ImageFlags, names: tuple[str, ...]) -> None:
    """Build the environments of images now instead of when a pod first needs them."""
    for name in names:
        began = time.monotonic()
        size = _build(settings, name, failed="cannot be pulled", quiet=False)
        click.echo(f"Built {name}: {screen.size(size)} in {time.monotonic() - began:.1f}s.")


@images.command()
@click.option(
    "--all", "everything", is_flag=True, help="Remove all unused environments and images, and the package cache."
)
@click.option(
    "--older-than",
    type=Age(),
    default="7d",
    metavar="AGE",
    help="Remove environments and images not used for this long.  [default: 7d]",
)
@OUTPUT
@takes(ImageFlags)
def prune(settings: ImageFlags, everything: bool, older_than: float, output: str) -> None:
    """Remove environments and images of volumes that no pod uses and that were not used recently."""
    from windlass.node.images import pruning
    from windlass.node.images.image import PullFailed
    from windlass.node.images.images import Images, images_root
    from windlass.node.oci.folders import ImageFolders

    data = data_dir_at(settings.data_dir)
    root, result, volumes = images_root(data.root, settings.images_dir), pruning.Pruned((), (), ()), []
    if root.is_dir():
        kept, age = Images(data.root, root=settings.images_dir), 0 if everything else older_than
        result = pruning.prune(kept.environments, age)
        volumes = ImageFolders(root).prune(age, kept.environments.pods())
        try:
            asyncio.run(kept.builds.forget(everything=everything))
        except PullFailed as error:
            raise Failure(f"cannot prune the package cache: {error}") from error
    if output != "text":
        removed = {"removed": [_entry(one) for one in result.removed], "kept": len(result.kept + result.busy)}
        _echo({**removed, "removedVolumes": [_volume_entry(one, ()) for one in volumes]}, output)
        return
    for image in volumes:
        click.echo(f"removed {image.digest[:19]}  {screen.size(image.size)}")
    for one in result.removed:
        click.echo(f"removed {Path(one.folder).name}  {screen.size(one.size)}")
    click.echo(f"{len(result.removed)} removed, {len(result.kept)} kept, {len(result.busy)} in use by pods.")


def rule_from(name: str, **options: Any) -> Any:
    """The mapping rule that the options describe."""
    import shlex

    from windlass.node.images.catalogue import Rule

    packages = [*options["packages"], *(_requirements(options["requirements"]) if options["requirements"] else [])]
    variables = dict(_variable(one) for one in options["env"])
    return Rule(
        image=name,
        python=options["python"] or ("3" if packages else ""),
        packages=tuple(packages),
        path=str(options["path"].resolve()) if options["path"] else "",
        entrypoint=tuple(shlex.split(options["entrypoint"] or "")),
        command=tuple(shlex.split(options["command"] or "")),
        workdir=options["workdir"],
        env=variables,
        user=options["user"],
    )


def describe(rule: Any) -> str:
    if rule.path:
        return f"runs in {rule.path}"
    if not rule.python:
        return "runs with the programs of this machine"
    packages = f" with {', '.join(rule.packages)}" if rule.packages else ""
    return f"Python {rule.python}{packages} will be built when a pod first needs it"


def _requirements(path: Path) -> list[str]:
    """The packages of a requirements file, one per line; options of pip such as -r are refused."""
    found: list[str] = []
    for line in path.read_text().replace("\\\n", " ").splitlines():
        text = re.sub(r"(^|\s)#.*", "", line).strip()
        if text.startswith("-"):
            raise Failure(f"{path}: {text.split()[0]} is not supported here: list only packages")
        if text:
            found.append(text)
    return found


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.UsageError(f"--env {text}: write NAME=VALUE")
    return name, value


def _build(settings: ImageFlags, name: str, *, failed: str, quiet: bool) -> int:
    """Build the environment of an image, and return its size in bytes."""
    from windlass.node.images.image import PullFailed, UnknownImage
    from windlass.node.images.images import Images

    data = data_dir_at(settings.data_dir)
    data.prepare()
    pulling = Images(data.root, root=settings.images_dir).pull(name, (lambda line: None) if quiet else click.echo)
    try:
        image = asyncio.run(pulling)
    except (PullFailed, UnknownImage) as error:
        raise Failure(f"{name} {failed}: {error}") from error
    for warning in image.warnings:
        click.echo(f"warning: {warning}", err=True)
    return image.size


def _entry(record: Any) -> dict[str, Any]:
    from windlass.node.images.environments import last_used, used_by

    return {
        "environment": Path(record.folder).name,
        "images": sorted(used_by(record)),
        "python": record.version,
        "packages": list(record.requirements),
        "sizeBytes": record.size,
        "lastUsed": _stamp(last_used(record)),
        "warnings": list(record.warnings),
        "folder": record.folder,
    }


def _volume_entry(image: Any, references: Sequence[Any]) -> dict[str, Any]:
    used_at = max([image.made_at, *(one.used_at for one in references)])
    return {
        "digest": image.digest,
        "images": sorted(one.reference for one in references),
        "sizeBytes": image.size,
        "lastUsed": _stamp(used_at),
        "folder": image.folder,
    }


def _stamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _echo(answer: Any, output: str) -> None:
    if output == "json":
        click.echo(json.dumps(answer, indent=2))
        return
    click.echo(yaml_writer.write(answer), nl=False)


def table_of(built: Sequence[dict[str, Any]], now: float) -> list[str]:
    """One row for each image of each environment; image names come last, since their length varies."""
    from calendar import timegm

    rows = [["ENVIRONMENT", "PYTHON", "SIZE", "LAST USED", "IMAGE"]]
    for one in built:
        age = max(0.0, now - timegm(time.strptime(one["lastUsed"], "%Y-%m-%dT%H:%M:%SZ")))
        facts = [one["environment"], one["python"], screen.size(one["sizeBytes"]), f"{screen.duration(age)} ago"]
        rows += [[*facts, image] for image in one["images"] or ["-"]]
    return render_table(rows, {})


def _print(
    built: Sequence[dict[str, Any]],
    volumes: Sequence[dict[str, Any]],
    rules: Sequence[dict[str, Any]],
    *,
    lenient: bool,
) -> None:
    if not built:
        click.echo("No environments have been built yet. The first pod of an image builds its environment.")
    else:
        click.echo("\n".join(table_of(built, time.time())))
        for one in built:
            for warning in one["warnings"]:
                click.echo(f"{one['environment']}: warning: {warning}")
    for one in volumes:
        click.echo(f"volume: {', '.join(one['images']) or one['digest'][:19]}  {screen.size(one['sizeBytes'])}")
    for rule in rules:
        click.echo(f"mapped: {rule['image'] if isinstance(rule['image'], str) else ', '.join(rule['image'])}")
    if lenient:
        click.echo("lenient: an image that no rule matches runs in the default environment")
