"""A seccomp profile as data: ordered rules and a default action. Pure."""

from typing import Literal, TypeAlias

from msgspec import Struct

EPERM, ENOSYS = 1, 38

Operator: TypeAlias = Literal["eq", "ne", "lt", "le", "gt", "ge", "masked_eq"]


class Errno(Struct, frozen=True):
    """The call fails with this error, and has no effect."""

    number: int


class Kill(Struct, frozen=True):
    """The kernel kills the process."""


class Allow(Struct, frozen=True):
    """The call is carried out."""


class Log(Struct, frozen=True):
    """The call is carried out and logged by the kernel."""


Action: TypeAlias = Allow | Errno | Kill | Log


class Argument(Struct, frozen=True):
    """A condition on an argument of a call. For `masked_eq`, `value` is the mask and `masked` the expected result."""

    index: int
    operator: Operator
    value: int
    masked: int = 0


class Rule(Struct, frozen=True):
    """What happens to these calls if all conditions on their arguments hold."""

    names: frozenset[str]
    action: Action = Allow()
    arguments: tuple[Argument, ...] = ()


class Profile(Struct, frozen=True):
    """The first rule that matches a call decides, else the default.

    Calls newer than those that this program knows fail with ENOSYS, so that libraries fall back to older ones.
    """

    rules: tuple[Rule, ...]
    default: Action = Errno(EPERM)
