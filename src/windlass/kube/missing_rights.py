"""Reports that the server refuses a right to a controller, whatever the controller itself makes of the refusal."""

import logging
import re

from windlass.kube.errors import ApiError, Forbidden
from windlass.kube.transport import Request, acting_controller

log = logging.getLogger(__name__)

_NO_RIGHT = re.compile(r'\bUser "[^"]*" cannot ')
"""Kubernetes refuses by 403 for reasons of admission too; only its message shows which it was."""


class MissingRights:
    """Logs each refusal once by controller, method and kind."""

    def __init__(self) -> None:
        self._reported: set[tuple[str, str, str, str]] = set()

    def note(self, request: Request, error: ApiError) -> None:
        controller = acting_controller()
        if not controller or not isinstance(error, Forbidden) or not _NO_RIGHT.search(error.message):
            return
        asked = (controller, request.method, error.group, error.kind)
        if asked not in self._reported:
            self._reported.add(asked)
            log.warning(
                "refused controller=%s method=%s path=%s error=%s", controller, request.method, request.path, error
            )
