"""Asks the package index, before a job starts, whether it has the packages that the replicas will install."""

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

WITHIN_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class Answer:
    unknown: tuple[str, ...] = ()
    """Packages of which the index has nothing."""
    unreachable: bool = False


def ask(packages: Sequence[str]) -> Answer:
    """Look packages up where pip would, from this machine: all at once, and each alone if that fails."""
    with tempfile.TemporaryDirectory(prefix="windlass-run-") as folder:
        answer = _ask(packages, Path(folder))
        if not answer.unknown or len(packages) == 1:
            return answer
        answers = [_ask([package], Path(folder)) for package in packages]
    return Answer(
        unknown=tuple(package for each in answers for package in each.unknown),
        unreachable=any(each.unreachable for each in answers),
    )


def _ask(packages: Sequence[str], folder: Path) -> Answer:
    """About all of them as one: uv names only the first that it does not find."""
    from windlass.node.images import pipconfig
    from windlass.node.images.image import PullFailed
    from windlass.node.images.uv import Uv, is_network

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
        if isinstance(error.__cause__, TimeoutError) or is_network(str(error)):
            return Answer(unreachable=True)
        # Any other refusal may be about this machine's Python, and is not the pods'.
        return Answer(unknown=tuple(packages) if "not found" in str(error) else ())
    return Answer()
