"""Runs as `python3 -m pip` in environments that Windlass builds: ends installs at once that have nothing to install.

Components of pipelines install their packages whenever they start; pip takes most of a second to find that they are
there. Everything else is left to pip, whose own `__main__` runs unchanged: other commands, options that are not listed
here, requirements that are URLs or paths, and those that the environment does not satisfy with all they depend on.

Written for every Python that images have, 3.8 and later, and with as few imports as possible: pip's own parsers of
requirements and markers take longer to import than all the rest.
"""
# ruff: noqa: PTH100, PTH109, PTH111, PTH118, PTH120, PTH123, PTH208
# (pathlib takes longer to import than everything else here)

import os
import re
import sys

ORIGINAL = "windlass_original_main.py"
"""The name under which pip's own `__main__` is kept beside this file."""
QUIET = frozenset(("--quiet", "-q", "-qq", "-qqq"))
HARMLESS_OPTIONS = QUIET | {"--no-warn-script-location", "--disable-pip-version-check", "--no-cache-dir", "--no-input"}
"""Options that change nothing for what is installed already; --no-deps is handled too."""
HARMLESS_VARIABLES = frozenset(
    "PIP_" + name
    for name in ("BREAK_SYSTEM_PACKAGES", "CACHE_DIR", "CERT", "DEFAULT_TIMEOUT", "DISABLE_PIP_VERSION_CHECK",
                 "EXTRA_INDEX_URL", "FIND_LINKS", "INDEX_URL", "NO_CACHE_DIR", "NO_COLOR", "NO_INDEX", "NO_INPUT",
                 "PROGRESS_BAR", "PROXY", "RETRIES", "ROOT_USER_ACTION", "TIMEOUT", "TRUSTED_HOST")
)  # fmt: skip
DECISIVE_SETTINGS = re.compile(
    "^[ \t]*(upgrade|force[-_]reinstall|ignore[-_]installed|constraint|requirement|target|root|dry[-_]run|report)",
    re.MULTILINE,
)
"""Settings of pip's configuration files by which an installed package may be installed again, or elsewhere."""
REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[(?P<extras>[^\]]*)\])?\s*"
    r"\(?(?P<versions>[^;@()]*)\)?\s*(?:;(?P<marker>.*))?"
)
PINNED = re.compile(r"==\s*([^*,\s]+)\s*")
DOTTED = re.compile(r"\d+(\.\d+)*")
ORDERS = {
    "Eq": lambda left, right: left == right,
    "NotEq": lambda left, right: left != right,
    "Lt": lambda left, right: left < right,
    "LtE": lambda left, right: left <= right,
    "Gt": lambda left, right: left > right,
    "GtE": lambda left, right: left >= right,
}
ONLY_SYNTAX_TREE = 0x400  # ast.PyCF_ONLY_AST, without the module


class Undecided(Exception):
    """Pip must decide."""


def named_requirements(arguments):
    """Return the requirements of an `install`, and whether they go without dependencies. Raises Undecided."""
    options = {word for word in arguments[1:] if word.startswith("-")}
    names = [word for word in arguments[1:] if not word.startswith("-")]
    if arguments[:1] != ["install"] or not names or options - HARMLESS_OPTIONS - {"--no-deps"}:
        raise Undecided
    if any(os.sep in name or name.startswith(".") for name in names):
        raise Undecided
    return names, "--no-deps" in options


def check_configuration():
    """Raises Undecided if a variable or a configuration file may change what an install does."""
    if any(name.startswith("PIP_") and name not in HARMLESS_VARIABLES for name in os.environ):
        raise Undecided
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    folders = [os.path.join(config, "pip"), os.path.join(home, ".pip"), "/etc", "/etc/xdg/pip", sys.prefix]
    if any(DECISIVE_SETTINGS.search(content(os.path.join(folder, "pip.conf"))) for folder in folders):
        raise Undecided


def content(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def installed_distributions():
    """Return versions and metadata folders by normalized names; the first on the path counts, as for imports."""
    found = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            if name.endswith(".dist-info"):
                project, _, version = name[: -len(".dist-info")].partition("-")
                if version[:1].isdigit():
                    found.setdefault(normalized(project), (version, os.path.join(folder, name)))
    return found


def normalized(name):
    return re.sub("[-_.]+", "-", name).lower()


def check_installed(names, alone):
    """Raises Undecided unless every requirement is installed and, unless they go alone, all that they depend on."""
    distributions = installed_distributions()
    pending, checked = [(name, "") for name in names], set()
    while pending:
        text, extra = pending.pop()
        requirement = REQUIREMENT.fullmatch(text)
        if requirement is None:
            raise Undecided
        if (text, extra) in checked or not applies(requirement.group("marker"), extra):
            continue
        checked.add((text, extra))
        version, folder = distributions.get(normalized(requirement.group("name")), ("", ""))
        if not version or not fits(version, requirement.group("versions").strip()):
            raise Undecided
        if not alone:
            extras = [one.strip() for one in (requirement.group("extras") or "").split(",")]
            pending += [(line, one) for line in dependencies(folder) for one in {"", *extras}]


def dependencies(folder):
    """Return the requirements of an installed distribution, from the head of its METADATA."""
    head = content(os.path.join(folder, "METADATA")).split("\n\n", 1)[0]
    return re.findall("^Requires-Dist: *(.+)$", head, re.MULTILINE)


def fits(version, specifiers):
    pinned = PINNED.fullmatch(specifiers)
    if not specifiers or (pinned and pinned.group(1) == version):
        return True
    from pip._vendor.packaging.specifiers import SpecifierSet

    return SpecifierSet(specifiers).contains(version, prereleases=True)


def applies(marker, extra):
    """Whether a requirement's marker holds here. Markers have the syntax of Python; they are walked, never run."""
    if not marker:
        return True
    tree = compile(marker.strip(), "marker", "eval", ONLY_SYNTAX_TREE)
    return holds(tree.body, extra)  # pyright: ignore[reportAttributeAccessIssue] - an Expression


def holds(node, extra):
    kind = type(node).__name__
    if kind == "BoolOp":
        parts = [holds(one, extra) for one in node.values]
        return all(parts) if type(node.op).__name__ == "And" else any(parts)
    if kind != "Compare" or len(node.ops) != 1:
        raise Undecided
    operator = type(node.ops[0]).__name__
    return compares(operand(node.left, extra), operator, operand(node.comparators[0], extra))


def operand(node, extra):
    """Return the name of a variable, if it is one, and its value here or the string that it is."""
    if type(node).__name__ == "Name":
        return node.id, environment(node.id, extra)
    value = getattr(node, "value", getattr(node, "s", None))
    if not isinstance(value, str):
        raise Undecided
    return "", value


def environment(name, extra):
    if name == "extra":
        return extra
    if name == "python_version":
        return ".".join(map(str, sys.version_info[:2]))
    if name == "python_full_version" and sys.version_info.releaselevel == "final":
        return ".".join(map(str, sys.version_info[:3]))
    if name in ("sys_platform", "os_name"):
        return sys.platform if name == "sys_platform" else os.name
    if name in ("platform_system", "platform_machine"):
        facts = os.uname()
        return facts.sysname if name == "platform_system" else facts.machine
    if name in ("implementation_name", "platform_python_implementation") and sys.implementation.name == "cpython":
        return "cpython" if name == "implementation_name" else "CPython"
    raise Undecided


def compares(left, operator, right):
    """Compare a variable with a string, as versions if the variable is one."""
    (name, value), (other, text) = left, right
    if not name or other:
        raise Undecided
    if name.startswith("python_"):
        if not DOTTED.fullmatch(text) or operator not in ORDERS:
            raise Undecided
        return ORDERS[operator](numbers(value), numbers(text))
    if name == "extra":
        value, text = normalized(value), normalized(text)
    if operator not in ("Eq", "NotEq"):
        raise Undecided
    return ORDERS[operator](value, text)


def numbers(version):
    found = [int(part) for part in version.split(".")]
    return found + [0] * (4 - len(found))


def has_nothing_to_do(arguments):
    """Whether pip would find everything installed. False in case of doubt."""
    own = sys.path[:]
    try:
        names, alone = named_requirements(arguments)
        check_configuration()
        if sys.path[0] in ("", os.getcwd()):  # no module of the working directory is imported, as in pip's __main__
            del sys.path[0]
        check_installed(names, alone)
    except Exception:  # noqa: BLE001 - whatever is wrong, pip can say it better
        return False
    finally:
        sys.path[:] = own
    return True


def main():
    if has_nothing_to_do(sys.argv[1:]):
        if not QUIET.intersection(sys.argv):
            print("All requirements are installed already")  # noqa: T201 - it is a program
        return
    import runpy

    runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), ORIGINAL), run_name="__main__")


if __name__ == "__main__":
    main()
