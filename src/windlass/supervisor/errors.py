"""The error of starting or stopping Windlass or of using its data directory, as a message for the user."""

from windlass.apis.user_error import UserError


class SupervisorError(UserError):
    """Raised by the supervisor and by what uses its data directory."""
