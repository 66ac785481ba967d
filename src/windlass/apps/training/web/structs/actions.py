"""What is asked and answered when a job is suspended, resumed, restarted or cloned."""

from typing import Any

from windlass.gateway.views.parts import View


class RestartRequest(View):
    """Body of `POST /api/jobs/{kind}/{ns}/{name}/restart`."""

    force: bool = False
    """Restart a job that has not ended."""


class ActionAnswer(View):
    """Answer of suspend, resume and restart."""

    message: str
    state: str
    """The job's, after the action."""
    uid: str
    """The job's; another one after a restart."""


class CloneAnswer(View):
    """Answer of `POST /api/jobs/{kind}/{ns}/{name}/clone`: a manifest to edit and create. Nothing is created."""

    manifest: dict[str, Any]
