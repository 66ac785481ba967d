# pyright: strict
"""Translates pip's configuration for uv, which reads neither pip.conf nor PIP_*, where mirrors are configured."""

import configparser
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

OPTIONS = (
    "index-url",
    "extra-index-url",
    "find-links",
    "constraint",
    "trusted-host",
    "no-index",
    "cert",
    "proxy",
    "pre",
)


class PipConfig(Struct, frozen=True):
    """The options by which pip finds packages."""

    index_url: str = ""
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    trusted_hosts: tuple[str, ...] = ()
    no_index: bool = False
    pre: bool = False
    cert: str = ""
    proxy: str = ""

    def flags(self) -> list[str]:
        """Return arguments for `uv pip install`.

        As with pip, the best version of all indexes counts, not the first index.
        """
        flags: list[str] = ["--no-index"] if self.no_index else []
        if self.index_url and not self.no_index:
            flags += ["--default-index", self.index_url]
        for url in () if self.no_index else self.extra_index_urls:
            flags += ["--extra-index-url", url]
        if self.extra_index_urls and not self.no_index:
            flags += ["--index-strategy", "unsafe-best-match"]
        for name, values in (
            ("--find-links", self.find_links),
            ("--constraints", self.constraints),
            ("--allow-insecure-host", self.trusted_hosts),
        ):
            for value in values:
                flags += [name, value]
        return [*flags, "--prerelease", "allow"] if self.pre else flags

    def environment(self) -> dict[str, str]:
        """Return environment variables for uv."""
        found: dict[str, str] = {}
        if self.cert:
            found["SSL_CERT_FILE"] = self.cert
        if self.proxy:
            found |= {"HTTP_PROXY": self.proxy, "HTTPS_PROXY": self.proxy, "ALL_PROXY": self.proxy}
        return found

    def key(self) -> list[str]:
        """Return the options that change which packages are found; part of an environment's identity."""
        return [*self.flags(), *(_contents(path) for path in self.constraints)]


def read(environ: Mapping[str, str] = os.environ) -> PipConfig:
    """Read the configuration as pip does: global, user, site, PIP_CONFIG_FILE, then the environment; later ones win."""
    values: dict[str, str] = {}
    for path in files(environ):
        values |= _of_file(path)
    for option in OPTIONS:
        value = environ.get("PIP_" + option.upper().replace("-", "_"))
        if value:
            values[option] = value
    return PipConfig(
        index_url=values.get("index-url", ""),
        extra_index_urls=_many(values, "extra-index-url"),
        find_links=_many(values, "find-links"),
        constraints=_many(values, "constraint"),
        trusted_hosts=_many(values, "trusted-host"),
        no_index=_truth(values, "no-index"),
        pre=_truth(values, "pre"),
        cert=values.get("cert", ""),
        proxy=values.get("proxy", ""),
    )


def files(environ: Mapping[str, str]) -> list[Path]:
    """Return pip's configuration files, weakest first; PIP_CONFIG_FILE=/dev/null disables all of them."""
    named = environ.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return []
    home = Path(environ.get("HOME") or Path.home())
    system = [Path(folder) / "pip" / "pip.conf" for folder in (environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")]
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    found = [*system, Path("/etc/pip.conf"), home / ".pip" / "pip.conf", config / "pip" / "pip.conf"]
    return [*found, Path(sys.prefix) / "pip.conf", *([Path(named)] if named else [])]


def _of_file(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text())
    except (OSError, UnicodeDecodeError, configparser.Error):
        return {}  # pip refuses to run on a damaged file; an image needs no pip
    found: dict[str, str] = {}
    for section in ("global", "install"):
        if parser.has_section(section):
            found |= {key.replace("_", "-"): value for key, value in parser.items(section)}
    return {key: value for key, value in found.items() if key in OPTIONS}


def _many(values: dict[str, str], option: str) -> tuple[str, ...]:
    return tuple(values.get(option, "").split())


def _truth(values: dict[str, str], option: str) -> bool:
    return values.get(option, "").lower() in ("1", "true", "yes", "on", "y", "t")


def _contents(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
