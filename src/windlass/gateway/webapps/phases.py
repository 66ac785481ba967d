"""Phases that the web apps show of their objects."""

from typing import Literal, TypeAlias

from windlass.gateway.views.parts import View
from windlass.kube.json import Object

Phase: TypeAlias = Literal[
    "ready", "waiting", "warning", "error", "uninitialized", "unavailable", "terminating", "stopped"
]


class PhaseStatus(View):
    """As the web apps' lists have it."""

    phase: Phase
    message: str
    state: str


def status(phase: Phase, message: str, state: str = "") -> Object:
    """As the apps' lists carry it."""
    return {"phase": phase, "message": message, "state": state}
