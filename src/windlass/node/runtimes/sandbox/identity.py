"""The machine's ids behind a container's users and groups, and the container's /etc/passwd."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH123
import os
from collections.abc import Mapping
from typing import NamedTuple

ORDINARY = 65536
ROOT_BASE = 100_000
"""As root, a container's uid 0 is this uid of the machine."""


class Range(NamedTuple):
    """The ids that a supervisor can give to containers: `size` from `base`."""

    base: int
    size: int


def available() -> Range:
    """Return the ids of this process: root uses a range that no user has; a user namespace its own ids."""
    mapped = _mapped("/proc/self/uid_map"), _mapped("/proc/self/gid_map")
    if min(mapped) >= ROOT_BASE + ORDINARY:
        return Range(ROOT_BASE, ORDINARY)
    return Range(0, min(*mapped, ORDINARY))


def _mapped(path: str) -> int:
    """Return how many ids are mapped from 0 without a gap."""
    with open(path, encoding="ascii") as file:
        extents = sorted((int(first), int(count)) for first, _, count in map(str.split, file))
    end = 0
    for first, count in extents:
        if first > end:
            break
        end = max(end, first + count)
    return end


def id_map(ids: Range, wanted: list[int]) -> str:
    """Return the text of a uid_map or gid_map: 0 and following in order, and each required id beyond them at the end.

    With a single id, the first required one gets it. Raises ValueError if there are not enough.
    """
    extra = sorted({number for number in wanted if number >= ids.size})
    if ids.size == 1:
        return f"{wanted[0] if wanted else 0} {ids.base} 1\n"
    plain = ids.size - len(extra)
    if any(plain <= number < ids.size for number in wanted):
        raise ValueError(f"only {ids.size} ids are available for containers")
    lines = [f"0 {ids.base} {plain}"]
    lines += [f"{number} {ids.base + plain + index} 1" for index, number in enumerate(extra)]
    return "\n".join(lines) + "\n"


def host_id(ids: Range, number: int) -> int:
    """Return the supervisor's id behind the container's main user or group."""
    return ids.base if ids.size == 1 else ids.base + min(number, ids.size - 1)


def write_maps(pid: int, ids: Range, user: int, group: int, groups: list[int]) -> None:
    """Map the ids of a process that has entered a user namespace."""
    _write(f"/proc/{pid}/uid_map", id_map(ids, [user]))
    if ids.size == 1:
        _try_write(f"/proc/{pid}/setgroups", "deny")
    _write(f"/proc/{pid}/gid_map", id_map(ids, [group, *(groups if ids.size > 1 else [])]))


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _try_write(path: str, text: str) -> None:
    try:
        _write(path, text)
    except OSError:
        return  # already denied by the namespace above


def passwd(user: int, group: int, environment: Mapping[str, str]) -> str:
    """The container's /etc/passwd. Its user is named as images for notebooks say (NB_USER), and has their HOME."""
    lines = ["root:x:0:0:root:/root:/bin/sh", "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin"]
    if user not in (0, 65534):
        given = environment.get("NB_USER", "")
        name = given if _is_name(given) and given not in ("root", "nobody") else "user"
        home, shell = _path(environment.get("HOME"), "/"), _path(environment.get("SHELL"), "/bin/sh")
        lines.append(f"{name}:x:{user}:{group}:{name}:{home}:{shell}")
    return "\n".join(lines) + "\n"


def _path(given: str | None, default: str) -> str:
    return given if given and given.startswith("/") and given.isprintable() and ":" not in given else default


def _is_name(text: str) -> bool:
    """Without regular expressions, as the rest of what is forked."""
    plain = text.replace("_", "").replace("-", "")
    return 0 < len(text) <= 32 and plain.isascii() and plain.isalnum() and text == text.lower() and text[0].isalpha()


def group_file(group: int, groups: list[int]) -> str:
    lines = ["root:x:0:", "tty:x:5:", "nogroup:x:65534:"]
    for number in sorted({group, *groups} - {0, 5, 65534}):
        lines.append(f"group{number}:x:{number}:")
    return "\n".join(lines) + "\n"
