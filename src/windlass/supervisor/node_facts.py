"""What the node agent wrote down when it became ready: how it runs pods here, and what is missing for more."""

import json
from dataclasses import dataclass

from windlass.supervisor.datadir import DataDir


@dataclass(frozen=True, kw_only=True)
class NodeFacts:
    runtime: str
    limits: str
    """How the limits of containers are kept, and which are not."""
    problems: tuple[str, ...] = ()


def load(data: DataDir) -> NodeFacts | None:
    """None while no agent is ready."""
    try:
        told = json.loads(data.node_mark.read_bytes())
        return NodeFacts(runtime=told["runtime"], limits=told["limits"], problems=tuple(told["problems"]))
    except (OSError, ValueError, TypeError, KeyError):  # not there, or of another version
        return None


def problems(data: DataDir) -> tuple[str, ...]:
    facts = load(data)
    return () if facts is None else facts.problems
