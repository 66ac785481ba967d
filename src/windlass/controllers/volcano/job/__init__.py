"""Volcano's Job."""

from windlass.kube.controller import AnyController


def controllers() -> tuple[AnyController, ...]:
    return ()
