# pyright: strict
"""What an entry of a layer does to the folder that it is unpacked into. Pure."""

import tarfile
from typing import Literal, TypeAlias

from msgspec import Struct

from windlass.node.images.image import PullFailed

WHITEOUT, OPAQUE, METADATA = ".wh.", ".wh..wh..opq", ".wh..wh."
Action: TypeAlias = Literal["folder", "file", "link", "hard link", "remove", "empty"]
"""`remove` hides a path of lower layers; `empty` hides all that lower layers have in a folder."""


class Entry(Struct, frozen=True):
    """`parts` is the path of the entry, or of what it hides; `target` is that of a link as it is written."""

    action: Action
    parts: tuple[str, ...]
    target: str = ""
    mode: int = 0o755
    uid: int = 0
    gid: int = 0
    mtime: float = 0.0


def entry_of(member: tarfile.TarInfo) -> Entry | None:
    """Return what to do; None for devices, pipes and metadata of file systems. Raises PullFailed."""
    parts = inner_parts(member.name)
    name = parts[-1] if parts else ""
    if name == OPAQUE:
        return Entry("empty", parts[:-1])
    if name.startswith(METADATA):
        return None
    if name.startswith(WHITEOUT):
        return Entry("remove", inner_parts("/".join((*parts[:-1], name.removeprefix(WHITEOUT)))))
    action, target = _action(member)
    if action is None or (not parts and action != "folder"):
        return None
    return Entry(action, parts, target, member.mode & 0o777, member.uid, member.gid, float(member.mtime))


def _action(member: tarfile.TarInfo) -> tuple[Action | None, str]:
    if member.isdir():
        return "folder", ""
    if member.issym():
        return "link", member.linkname
    if member.islnk():
        return "hard link", member.linkname
    return ("file" if member.isreg() else None), ""


def inner_parts(name: str) -> tuple[str, ...]:
    """Split a path; an absolute one begins at the image's root. Raises PullFailed for one that leads outside."""
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise PullFailed(f"a layer has the entry {name[:200]!r}, which leads outside the image")
    return parts
