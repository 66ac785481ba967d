# pyright: strict
"""Maps images to environments: an ordered list of rules, the user's before the built-in ones. Pure."""

import re
from collections.abc import Sequence
from fnmatch import translate

from msgspec import Struct, field

from windlass.node.images import shipped
from windlass.node.images.reference import Reference, qualify, split_tag

PYTHON = re.compile(r"\d+(\.\d+){0,2}|\{[a-z]+\}")
PLACEHOLDER = re.compile(r"\{([a-z]+)\}")


class Environment(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What runs for an image.

    Without `python`, `packages` and `path`, the host's own programs. Without `entrypoint` and `command`, the image's
    program is not available here and a container must set its command.
    """

    python: str = ""
    packages: tuple[str, ...] = ()
    nearest: bool = False
    """Replace a pinned version that is not available for this Python by the next one, with a warning."""
    path: str = ""
    """An existing environment; nothing is built."""
    programs: tuple[str, ...] = ()
    """Host programs that the image requires."""
    install: str = ""
    """How to install them; part of the message where they are missing."""
    brings: tuple[str, ...] = ()
    """Small programs shipped with Windlass, which the host may lack."""
    busybox: bool = False
    """The shell is that of the machine's busybox, which also adds the programs that the machine lacks."""
    files: dict[str, str] = {}
    """Paths in the container and their files: a file of the host by its absolute path, or one shipped with Windlass."""
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    needs_command: bool = False
    """The image's entrypoint is not available here: a container's `args` are meant for it and do not run alone."""
    workdir: str = "/"
    env: dict[str, str] = {}
    user: int | None = None
    note: str = ""
    """How the environment differs from the real image; reported as a warning."""


class Rule(Environment, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule of a catalogue.

    `image`: globs of repositories, each optionally with a glob of tags. `tag`: a regular expression with named groups.
    """

    image: tuple[str, ...] | str = ()
    tag: str = ""

    @property
    def patterns(self) -> tuple[str, ...]:
        return (self.image,) if isinstance(self.image, str) else self.image


class RegistrySettings(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How to reach a registry."""

    plain_http: bool = False
    """Whether to do without TLS."""
    ca: str = ""
    """A file of certificates to trust, in place of the system's."""


class Mappings(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The contents of an images.yaml."""

    images: tuple[Rule, ...] = ()
    lenient: bool = False
    registries: dict[str, RegistrySettings] = {}
    """Registries of images that pods mount, by host and port. One at a loopback address is used only if it is here."""
    layouts: dict[str, str] = {}
    """Globs of repositories whose images are in an image layout of this machine, by its folder."""
    default: Environment = field(default_factory=lambda: Environment(python="3.11"))


class BadRule(ValueError):
    """A rule that is invalid; the message names it."""


class Match(Struct, frozen=True):
    """The environment of an image, and warnings about it."""

    environment: Environment
    warnings: tuple[str, ...] = ()


class Catalogue:
    """A compiled list of rules; `find` matches a few dozen regular expressions."""

    def __init__(self, own: Mappings, builtin: Mappings) -> None:
        self._own = own
        self._rules = [(_compile(rule), rule) for rule in (*own.images, *builtin.images)]

    def find(self, reference: Reference) -> Match | None:
        """Return the first matching rule's environment; None for an unknown image, unless the catalogue is lenient."""
        for matchers, rule in self._rules:
            values = _matches(matchers, reference)
            if values is not None:
                environment = _fill(rule, values)
                return Match(environment, (environment.note,) if environment.note else ())
        if self._own.lenient:
            warning = (
                f'image "{reference.familiar}" is not in the catalogue: it runs in the default environment (lenient)'
            )
            return Match(self._own.default, (warning,))
        return None


Matcher = tuple[re.Pattern[str], re.Pattern[str] | None]


def check(rule: Rule) -> None:
    """Check a rule. Raises BadRule."""
    _compile(rule)


def _compile(rule: Rule) -> list[Matcher]:
    if not rule.patterns:
        raise BadRule("a rule names no image")
    try:
        tag = re.compile(rule.tag) if rule.tag else None
    except re.error as error:
        raise BadRule(f"{rule.patterns[0]}: tag {rule.tag!r} is not a regular expression: {error}") from error
    if rule.path and (rule.python or rule.packages):
        raise BadRule(f"{rule.patterns[0]}: path names an existing environment: python and packages must not be set")
    option = next((one for one in rule.packages if one.startswith("-") or not one.strip()), None)
    if option is not None:
        raise BadRule(f"{rule.patterns[0]}: {option!r} is not a package")
    if rule.python and not PYTHON.fullmatch(rule.python):
        raise BadRule(f"{rule.patterns[0]}: {rule.python!r} is not a version of Python such as 3.11")
    if rule.needs_command and (rule.entrypoint or rule.command):
        raise BadRule(f"{rule.patterns[0]}: needs_command: the rule sets what to run")
    if not rule.workdir.startswith("/"):
        raise BadRule(f"{rule.patterns[0]}: workdir {rule.workdir!r} is not an absolute path")
    target = next((one for one in rule.files if not one.startswith("/") or one.endswith("/")), None)
    if target is not None:
        raise BadRule(f"{rule.patterns[0]}: files: {target!r} is not the absolute path of a file")
    absent = next((one for one in (*rule.brings, *rule.files.values()) if not shipped.knows(one)), None)
    if absent is not None:
        raise BadRule(
            f"{rule.patterns[0]}: {absent!r} is not shipped with Windlass; a file of your own needs its absolute path"
        )
    unknown = _placeholders(rule) - set(tag.groupindex if tag else ())
    if unknown:
        raise BadRule(f"{rule.patterns[0]}: {{{min(unknown)}}} is not a named group of its tag")
    return [_matcher(pattern, tag) for pattern in rule.patterns]


def _matcher(pattern: str, tag: re.Pattern[str] | None) -> Matcher:
    name, glob = split_tag(pattern)
    return re.compile(translate(qualify(name))), re.compile(translate(glob)) if glob is not None else tag


def _matches(matchers: Sequence[Matcher], reference: Reference) -> dict[str, str] | None:
    for name, tag in matchers:
        if not any(name.match(candidate) for candidate in reference.names):
            continue
        if tag is None:
            return {}
        found = tag.fullmatch(reference.tag)
        if found:
            return {key: value or "" for key, value in found.groupdict().items()}
    return None


def _placeholders(rule: Rule) -> set[str]:
    texts = (rule.python, *rule.packages, *rule.env.values())
    return {name for text in texts for name in PLACEHOLDER.findall(text)}


def _fill(rule: Rule, values: dict[str, str]) -> Environment:
    def fill(text: str) -> str:
        return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)

    return Environment(
        python=fill(rule.python),
        packages=tuple(fill(package) for package in rule.packages),
        nearest=rule.nearest,
        path=rule.path,
        programs=rule.programs,
        install=rule.install,
        brings=rule.brings,
        busybox=rule.busybox,
        files=rule.files,
        entrypoint=rule.entrypoint,
        command=rule.command,
        needs_command=rule.needs_command,
        workdir=rule.workdir,
        env={key: fill(value) for key, value in rule.env.items()},
        user=rule.user,
        note=rule.note,
    )
