"""Types of command-line values, with errors that say what is expected."""

import math
import os
from pathlib import Path
from typing import Any

import click


class WholeNumber(click.IntRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"expected {expected('a whole number', self.min, self.max)}, not {value!r}", param, ctx)


class Number(click.FloatRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter:
            number = math.nan
        if math.isnan(number):
            self.fail(f"expected {expected('a number', self.min, self.max)}, not {value!r}", param, ctx)
        return number


class Amount(click.ParamType):
    """A Kubernetes resource quantity."""

    name = "amount"

    def __init__(self, *examples: str) -> None:
        self._examples = examples

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from windlass.kube.quantity import Quantity

        try:
            amount = Quantity.parse(value)
        except ValueError:
            amount = Quantity.parse("0")
        if amount <= Quantity.parse("0"):
            self.fail(f"expected an amount such as {' or '.join(self._examples)}, not {value!r}", param, ctx)
        return value


class JobName(click.ParamType):
    """A name that is valid for an object and, with a suffix, for its pods."""

    name = "name"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from windlass.kube.names import dns1035_label_errors

        if errors := dns1035_label_errors(value):
            self.fail(f"{value!r}: {'; '.join(errors)}", param, ctx)
        return value


def expected(what: str, lowest: float | None, highest: float | None) -> str:
    """Describe a range: `a whole number from 0 to 65535`."""
    if lowest is None and highest is None:
        return what
    if highest is None:
        return f"{what}, {lowest:g} or more"
    return f"{what}, {highest:g} or less" if lowest is None else f"{what} from {lowest:g} to {highest:g}"


class AbsolutePath(click.ParamType):
    """A path, made absolute where the command was called: child processes have another working directory."""

    name = "path"

    def __init__(self, *, to_read: bool = False) -> None:
        self._to_read = to_read

    def convert(self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if not str(value):
            self.fail("the path is empty", param, ctx)
        path = Path(value).expanduser().absolute()
        if self._to_read and not path.is_file():
            self.fail(f"there is no file {path}", param, ctx)
        if self._to_read and not os.access(path, os.R_OK):
            self.fail(f"you may not read {path}", param, ctx)
        return path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        return click.Path().shell_complete(ctx, param, incomplete)


PATH = AbsolutePath()
INPUT = AbsolutePath(to_read=True)
PORT = WholeNumber(0, 65535)


_MEASURED = (
    "cpu, memory and ephemeral-storage are measured on this machine. Only other resources can be added, such as "
    "nvidia.com/gpu=1"
)
NOT_ADDED = {
    "cpu": _MEASURED,
    "memory": _MEASURED,
    "ephemeral-storage": _MEASURED,
    "pods": "use --max-pods",
}
"""Resources of a node that `--resource` does not accept, and why."""


class Resources(click.ParamType):
    """A comma-separated list of `name=count`."""

    name = "resources"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        for part in value.split(","):
            name, equals, count = part.partition("=")
            if reason := NOT_ADDED.get(name.strip()):
                self.fail(f"{name.strip()} cannot be set here: {reason}", param, ctx)
            if not equals or "/" not in name or not count.isdecimal():
                self.fail(f"expected DOMAIN/NAME=COUNT, such as nvidia.com/gpu=1, not {part!r}", param, ctx)
        return value


RESOURCES = Resources()


class BindAddress(click.ParamType):
    """An address to listen on: `host:port`, `:port`, or 0 for none."""

    name = "address"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from windlass.kube.listening import parse_address

        try:
            parse_address(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value


BIND = BindAddress()
TRUE_OR_FALSE = click.Choice(["true", "false"])
