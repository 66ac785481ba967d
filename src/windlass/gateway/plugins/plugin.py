"""What a package declares to add pages to the dashboard."""

import re
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?")


@dataclass(frozen=True, kw_only=True)
class MenuEntry:
    """A line of the dashboard's menu."""

    text: str
    page: str = "index.html"
    """A file of the plug-in, with a query or fragment if need be. `{ns}` stands for the chosen namespace."""


@dataclass(frozen=True, kw_only=True)
class DashboardPlugin:
    """Pages of a package: static files, shown in a frame that follows the chosen namespace."""

    name: str
    """Part of the address `/plugins/<name>/`: lower-case letters, digits and dashes, at most 40."""
    files: Path
    """The folder with the pages and all that they load: nothing is loaded from elsewhere."""
    menu: tuple[MenuEntry, ...]


def problem(plugin: DashboardPlugin) -> str | None:
    """Why a plug-in cannot be used; None if it can."""
    if not _NAME.fullmatch(plugin.name):
        return f"name: {plugin.name!r} is not made of lower-case letters, digits and dashes"
    if not plugin.files.is_dir():
        return f"files: {plugin.files} is not a folder"
    for entry in plugin.menu:
        page = re.split("[?#]", entry.page, maxsplit=1)[0]
        if not entry.text or page.startswith("/") or ".." in page.split("/"):
            return f"menu: {entry.text!r} has no text, or its page {entry.page!r} is not a file of the plug-in"
    return None
