"""The error of an operation on jobs, as a message for the user."""

from windlass.apis.user_error import UserError


class JobsError(UserError):
    """Raised by operations on training jobs and Volcano jobs."""
