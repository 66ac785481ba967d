"""Errors of the API, in the shape of gRPC's JSON gateway.

WireError
  InvalidArgument 400, code 3       a bad field, filter, sort, page token or parameter
  FailedPrecondition 400, code 9
  Unauthenticated 401, code 16
  PermissionDenied 403, code 7
  NotFound 404, code 5
  AlreadyExists 409, code 6
  Aborted 409, code 10              the request cannot be applied to the resource in its state
  ResourceExhausted 429, code 8
  Unimplemented 501, code 12
  Unavailable 503, code 14
"""

from typing import ClassVar

from windlass.kube import errors as kube
from windlass.kube.json import Object


class WireError(Exception):
    """A failure that is answered to a client."""

    code: ClassVar[int] = 13
    status: ClassVar[int] = 500

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def body(self) -> Object:
        """The body of the routes that are gRPC methods upstream."""
        detail = {"@type": "type.googleapis.com/google.rpc.Status", "code": self.code, "message": self.message}
        return {"code": self.code, "message": self.message, "details": [detail]}

    def plain_body(self) -> Object:
        """The body of upload, log and artifact routes."""
        return {"error_message": self.message, "error_details": self.message}


class InvalidArgument(WireError):
    code, status = 3, 400


class FailedPrecondition(WireError):
    code, status = 9, 400


class Unauthenticated(WireError):
    code, status = 16, 401


class PermissionDenied(WireError):
    code, status = 7, 403


class NotFound(WireError):
    code, status = 5, 404


class AlreadyExists(WireError):
    code, status = 6, 409


class Aborted(WireError):
    code, status = 10, 409


class TooLarge(WireError):
    code, status = 3, 413


class ResourceExhausted(WireError):
    code, status = 8, 429


class Unimplemented(WireError):
    code, status = 12, 501


class Unavailable(WireError):
    code, status = 14, 503


def of_kubernetes(error: kube.ApiError) -> WireError:
    """What the API server refused, for the person on whose behalf it was asked."""
    match error:
        case kube.Forbidden():
            return PermissionDenied(error.message)
        case kube.NotFound():
            return NotFound(error.message)
        case kube.AlreadyExists():
            return AlreadyExists(error.message)
        case kube.Conflict():
            return Aborted(error.message)
        case kube.Invalid() | kube.BadRequest() | kube.TooLarge():
            return InvalidArgument(error.message)
        case kube.TooManyRequests():
            return ResourceExhausted(error.message)
        case _:
            return Unavailable(error.message)
