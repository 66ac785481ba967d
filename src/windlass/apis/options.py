"""Options of apps: where the values of an app's settings come from, declared at the fields of one frozen dataclass.

An app's module `options` has the class `Options`:

    @dataclass(frozen=True, kw_only=True)
    class Options:
        cull_idle_time: Annotated[
            timedelta, Option("Idle time after which a server is stopped, in minutes.", "CULL_IDLE_TIME", minutes)
        ] = timedelta(minutes=1440)

The command line reads flags and environment variables of all apps, the manifests for clusters set them, and controllers
and web modules ask their context for `options_of(Options)`. An empty value of a variable counts as none.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_type_hints

from windlass.apis.user_error import UserError

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Site:
    """An installation on a cluster, which values of options depend on."""

    namespace: str
    image: str = ""
    """The image of Windlass."""
    registry: str = ""
    """The registry of all images; empty if each comes from where its name says."""
    flags: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values of the apps' own flags of `windlass manifests`."""


class SecretKey(NamedTuple):
    """A value that a container reads from a Secret, which need not exist."""

    name: str
    key: str


SiteValue = Callable[[Site], str | SecretKey]
"""Return the value of a variable or flag at a site; empty to leave it out."""


@dataclass(frozen=True)
class Option:
    """A setting of an app, set by an environment variable or by a flag of `windlass manager` and `windlass up`.

    The type of a flag is the type of its field: str, int (1 or more) or bool.
    """

    help: str
    variable: str = ""
    parse: Callable[[str], object] = str
    """Convert the text of the variable, or of the flag's file. Raises ValueError, which says what is wrong with it."""
    variables: Sequence[str] = ()
    """Variables that are collected in a dict, instead of one variable."""
    flag: str = ""
    metavar: str = ""
    choices: Sequence[str] = ()
    is_file: bool = False
    """Whether the flag names a file, whose text is the value."""
    embedded: Callable[[Path], object] | None = None
    """Return the default on the embedded platform, from its data directory."""
    in_manager: SiteValue | None = None
    """The value for the manager that is installed on a cluster."""
    in_gateway: SiteValue | None = None
    """The same for the gateway."""


class Declared(NamedTuple):
    """An option and the field that it is declared at."""

    name: str
    option: Option
    type: Any
    default: Any


class BadOption(UserError):
    """A value that its option cannot have."""


def declared(struct: type) -> Iterator[Declared]:
    """Return the options of a struct, in the order of its fields."""
    annotations = get_type_hints(struct, include_extras=True)
    for each in fields(struct):
        for option in getattr(annotations[each.name], "__metadata__", ()):
            if isinstance(option, Option):
                yield Declared(each.name, option, annotations[each.name].__origin__, each.default)


def read(
    struct: type[T], environment: Mapping[str, str], *, flags: Mapping[str, object], data_dir: Path | None = None
) -> T:
    """Return the options as `flags` (by field), the environment and the defaults of the platform set them.

    `data_dir` is that of the embedded platform. Raises BadOption.
    """
    values: dict[str, object] = {}
    for name, option, _, _ in declared(struct):
        if name in flags:
            values[name] = flags[name]
        elif option.variables:
            values[name] = {each: environment[each] for each in option.variables if environment.get(each)}
        elif option.variable and environment.get(option.variable):
            values[name] = _parsed(option, environment[option.variable])
        elif option.embedded is not None and data_dir is not None:
            values[name] = option.embedded(data_dir)
    return struct(**values)


def _parsed(option: Option, given: str) -> object:
    try:
        return option.parse(given)
    except ValueError as error:
        raise BadOption(f"{option.variable}: {error}") from error


@dataclass(frozen=True, kw_only=True)
class WithOptions:
    """A context that knows the options of all apps."""

    options: tuple[object, ...] = ()
    """The structs of the apps that have options."""

    def options_of(self, struct: type[T]) -> T:
        """Return the values of this struct, or its defaults if nothing set them."""
        return next((options for options in self.options if isinstance(options, struct)), None) or struct()


def boolean(text: str) -> bool:
    """Return whether the text is true; everything else is false, as upstream reads it."""
    return text == "true"


def words(text: str) -> tuple[str, ...]:
    """Return the words of a list that is separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def minutes(text: str) -> timedelta:
    """Convert a whole number of minutes."""
    if not is_whole_number(text, digits=9) or int(text) == 0:
        raise ValueError(f"{text!r} is not a number of minutes")
    return timedelta(minutes=int(text))


def is_whole_number(text: str, *, digits: int) -> bool:
    """Return whether the text is a decimal number of at most so many digits, without a sign."""
    return text.isascii() and text.isdigit() and len(text) <= digits
