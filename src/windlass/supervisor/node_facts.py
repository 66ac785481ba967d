"""What the node agent reported when it became ready: its runtime, and problems of this machine."""

import json
from dataclasses import dataclass

from windlass.supervisor.datadir import DataDir


@dataclass(frozen=True, kw_only=True)
class NodeFacts:
    runtime: str
    limits: str
    """How the limits of containers are enforced, and which are not."""
    problems: tuple[str, ...] = ()


def load(data: DataDir) -> NodeFacts | None:
    """None while no agent is ready."""
    try:
        facts = json.loads(data.node_ready_file.read_bytes())
        return NodeFacts(runtime=facts["runtime"], limits=facts["limits"], problems=tuple(facts["problems"]))
    except (OSError, ValueError, TypeError, KeyError):  # not there, or of another version
        return None


def problems(data: DataDir) -> tuple[str, ...]:
    facts = load(data)
    return () if facts is None else facts.problems
