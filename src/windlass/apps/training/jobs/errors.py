"""The error of an operation on jobs or queues, as a message for the user."""


class JobsError(Exception):
    """The message says what is wrong, with which object, and what to do next."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
