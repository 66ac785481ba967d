"""Checks, before a job starts, that the package index has the packages that its replicas will install."""

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

WITHIN_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class IndexAnswer:
    unknown: tuple[str, ...] = ()
    """Packages that the index does not have."""
    unreachable: bool = False


def check(packages: Sequence[str]) -> IndexAnswer:
    """Look packages up as pip would, from this machine: all at once, and one by one if that fails."""
    with tempfile.TemporaryDirectory(prefix="windlass-run-") as folder:
        answer = _check(packages, Path(folder))
        if not answer.unknown or len(packages) == 1:
            return answer
        answers = [_check([package], Path(folder)) for package in packages]
    return IndexAnswer(
        unknown=tuple(package for each in answers for package in each.unknown),
        unreachable=any(each.unreachable for each in answers),
    )


def _check(packages: Sequence[str], folder: Path) -> IndexAnswer:
    """Resolve all packages together; on failure uv names only the first that is missing."""
    from windlass.node.images import pipconfig
    from windlass.node.images.image import PullFailed
    from windlass.node.images.uv import Uv

    config = pipconfig.read()
    wanted = folder / "requirements.in"
    wanted.write_text("\n".join(packages))
    resolving = Uv(folder, WITHIN_SECONDS).run(
        "pip", "compile", str(wanted), "--no-deps", "--python", sys.executable, *config.flags(),
        environment={**config.environment(), "UV_HTTP_RETRIES": "0"},
    )  # fmt: skip
    try:
        asyncio.run(resolving)
    except PullFailed as error:
        if error.reason in ("timeout", "unreachable"):
            return IndexAnswer(unreachable=True)
        # Any other refusal may be about this machine's Python, and is not the pods'.
        return IndexAnswer(unknown=tuple(packages) if error.reason == "not found" else ())
    return IndexAnswer()
