"""The error of starting or stopping Windlass or of using its data directory, as a message for the user."""


class SupervisorError(Exception):
    """The message says what is wrong and what to do next; `lines` are the end of a log that explains it."""

    def __init__(self, message: str, *, lines: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.lines = lines
