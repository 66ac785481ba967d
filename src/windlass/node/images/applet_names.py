# pyright: strict
"""Hides the applets of a standalone busybox from its shell, which then finds all programs on the PATH. Pure.

The shell of a standalone busybox, such as Debian's static one, runs applets in the place of all other programs; no
option changes that. It finds them in a sorted table of names, in which a copy can have others:

    "ash\\0" … "ls\\0" … "sh\\0" … "tar\\0"  →  "ash\\0" … "l\\x01\\0" … "sh\\0" … "ta\\x01\\0"
"""

from collections.abc import Collection, Sequence

_UNTYPED = (1, 127)
"""Bytes that are in no name of a program, before and after all that are."""


def hidden_but(kept: Collection[str], applets: Sequence[str], program: bytes) -> bytes:
    """Return the program with names that nobody types in the place of all others.

    `applets` is the list that the program prints. Raises ValueError if that is not its table.
    """
    table = _table([name.encode() for name in applets])
    if program.count(table) != 1:
        raise ValueError("it has no table of its applets")
    return program.replace(
        table, _table(_renamed([name.encode() for name in applets], {name.encode() for name in kept}))
    )


def _table(names: Sequence[bytes]) -> bytes:
    return b"".join(name + b"\0" for name in names)


def _renamed(applets: Sequence[bytes], kept: Collection[bytes]) -> list[bytes]:
    """The search for a name begins at any lesser one and ends at a greater one: what is before a kept name stays so."""
    renamed: list[bytes] = []
    before = b""
    for index, name in enumerate(applets):
        if name in kept:
            before = name
            renamed.append(name)
            continue
        after = next((other for other in applets[index + 1 :] if other in kept), b"\xff")
        found = (new for new in _substitutes(name) if before < new < after)
        if (new := next(found, None)) is None:
            raise ValueError(f"{name.decode()} cannot be hidden")
        renamed.append(new)
    return renamed


def _substitutes(name: bytes) -> list[bytes]:
    """Names of the same length."""
    return [name[:at] + bytes([byte]) + name[at + 1 :] for at in reversed(range(len(name))) for byte in _UNTYPED]
