"""Why a patch cannot be applied, and which answer a client gets for it."""

from windlass.kube.errors import ApiError, BadRequest, Invalid, TooLarge

# All that Kubernetes answers a client whose JSON patch does not fit the object.
_DOES_NOT_FIT = "the server rejected our request due to an error in our request"


class PatchError(Exception):
    """A patch that is malformed (400), that does not fit the object (422) or that is too large (413)."""

    def __init__(self, message: str, *, code: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.code = code

    def api_error(self) -> ApiError:
        """The answer that Kubernetes gives; it keeps the details of a patch that does not fit to itself."""
        if self.code == 422:
            return Invalid(_DOES_NOT_FIT)
        return TooLarge(self.message) if self.code == 413 else BadRequest(self.message)
