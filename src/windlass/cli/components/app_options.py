"""Values of the options of apps: from the environment, from the flags of a manager, and the platform's own."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.apis.options import declared, read
from windlass.apps import all_apps, options_of_apps
from windlass.cli.failure import Failure
from windlass.cli.settings import field_of

if TYPE_CHECKING:
    from windlass.cli.manager_settings import AppFlags


def read_options(
    environment: Mapping[str, str], data_dir: Path | None, flags: "AppFlags | None" = None
) -> tuple[object, ...]:
    """Return the options of all apps; `data_dir` is that of the embedded platform, None on a cluster.

    Raises Failure or BadOption for a value that its option cannot have.
    """
    return tuple(
        read(struct, environment, flags=_given(struct, flags) if flags else {}, data_dir=data_dir)
        for struct in options_of_apps()
    )


def _given(struct: type, flags: "AppFlags") -> dict[str, object]:
    """Return the values of flags by the fields of the options."""
    values: dict[str, object] = {}
    for name, option, kind, _ in declared(struct):
        if not option.flag:
            continue
        value = getattr(flags, field_of(option.flag))
        if not option.is_file:
            values[name] = value == "true" if kind is bool else value
        elif value is not None:
            values[name] = _text_of(value, option.parse)
    return values


def _text_of(path: Path, parse: Callable[[str], object]) -> object:
    try:
        text = path.read_text()
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
    try:
        return parse(text)
    except ValueError as error:
        raise Failure(f"{path}: {error}") from error


def use_options(environment: Mapping[str, str]) -> None:
    """Have the admission of this process use the options of the apps. Raises BadOption."""
    for app in all_apps():
        if app.use_options is not None and app.options is not None:
            app.use_options(read(app.options, environment, flags={}))
