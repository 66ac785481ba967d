"""The servers of Windlass are those of decision 8: two stacks, and the exceptions that the page gives reasons for."""

import re

from .pages import ROOT

SOURCE = ROOT / "src" / "windlass"
PAGE = ROOT / "docs" / "decisions" / "0008-one-http-stack.md"
LISTENING = re.compile(
    r"^(?:from|import) (?:http\.server|socketserver|h2\b)|\b(?:start|create)_(?:unix_)?server\(", re.MULTILINE
)
NOT_SERVERS = frozenset({"apps/training/commands/demo/demo_training/train_numpy.py", "node/probes/grpc.py"})
"""A training script that its workers connect to, and the client of a gRPC probe."""
NAMED = re.compile(r"`([a-z0-9_]+/[a-z0-9_/]+(?:\.py|/))`")


def test_modules_that_listen_by_themselves_are_named_with_a_reason() -> None:
    listening = {
        str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if LISTENING.search(path.read_text())
    } - NOT_SERVERS
    named = tuple(NAMED.findall(PAGE.read_text().partition("## Exceptions")[2].partition("\n## ")[0]))

    assert sorted(path for path in listening if not path.startswith(named)) == []
    assert [name for name in named if not (SOURCE / name).exists() and not (ROOT / name).exists()] == []
