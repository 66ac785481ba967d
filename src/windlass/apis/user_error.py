"""The base class of errors whose message is for the user: a command prints it without a traceback."""


class UserError(Exception):
    """The message says what is wrong, with which object, and what to do next."""

    def __init__(self, message: str, *, lines: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.lines = lines
        """The end of a log that explains it."""
