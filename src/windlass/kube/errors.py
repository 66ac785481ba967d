"""What can go wrong between a client and a Kubernetes API, one class per `reason` of a Status.

The server raises these and its HTTP layer prints `.status()`; the client raises the same classes from the Status it
is sent. So a controller catches `Conflict` the same way against either server.

    ApiError
      BadRequest 400            the request itself cannot be understood
      Unauthorized 401          who is asking is not known
      Forbidden 403             who is asking may not
      NotFound 404
      MethodNotAllowed 405
      NotAcceptable 406         no content type that both sides speak
      Conflict 409              the object changed, or another manager owns the field
        AlreadyExists 409
      Gone 410                  a continue token that is too old
        Expired 410             a resource version that is compacted
      TooLarge 413
      UnsupportedMediaType 415
      Invalid 422               understood, and refused: every bad field is a cause
      TooManyRequests 429       also: an eviction that a disruption budget forbids
      InternalError 500
      ServiceUnavailable 503
      Timeout 504
      InsufficientStorage 507   the disk is full
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from windlass.kube.json import Object, dig, dig_list, dig_object, encode, is_object

NAMESPACE_TERMINATING = "NamespaceTerminating"
"""Kubernetes' cause of refusing an object in a namespace that is being deleted."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing wrong with one field, in Kubernetes' words.

    `message` is what follows `field: ` on kubectl's line, for example `Required value: must have a name`.
    """

    field: str
    message: str
    reason: str = "FieldValueInvalid"


def invalid(field: str, value: object, why: str) -> Cause:
    return Cause(field, f"Invalid value: {_quoted(value)}: {why}", "FieldValueInvalid")


def required(field: str, why: str = "") -> Cause:
    return Cause(field, f"Required value: {why}" if why else "Required value", "FieldValueRequired")


def duplicate(field: str, value: object) -> Cause:
    return Cause(field, f"Duplicate value: {_quoted(value)}", "FieldValueDuplicate")


def not_supported(field: str, value: object, supported: Iterable[str]) -> Cause:
    """A value outside a closed set, of which Kubernetes lists the members sorted."""
    return unsupported(field, value, sorted(supported))


def unsupported(field: str, value: object, supported: Iterable[str]) -> Cause:
    """A value outside a closed set, of which Kubernetes lists the members in an order of its own."""
    listed = ", ".join(f'"{name}"' for name in supported)
    return Cause(field, f"Unsupported value: {_quoted(value)}: supported values: {listed}", "FieldValueNotSupported")


def forbidden(field: str, why: str) -> Cause:
    return Cause(field, f"Forbidden: {why}", "FieldValueForbidden")


def too_long(field: str, limit: int) -> Cause:
    return Cause(field, f"Too long: may not be more than {limit} bytes", "FieldValueTooLong")


def too_many(field: str, count: int, limit: int) -> Cause:
    return Cause(field, f"Too many: {count}: must have at most {limit} items", "FieldValueTooMany")


def not_found(field: str, value: object) -> Cause:
    return Cause(field, f"Not found: {_quoted(value)}", "FieldValueNotFound")


def type_invalid(field: str, value: object, why: str) -> Cause:
    return Cause(field, f"Invalid value: {_quoted(value)}: {why}", "FieldValueTypeInvalid")


def _quoted(value: object) -> str:
    if isinstance(value, str):
        return encode(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, dict | list):
        return encode(value).decode()
    return str(value)


class ApiError(Exception):
    """A failure that is answered to a client as a Kubernetes Status."""

    code: ClassVar[int] = 500
    reason: ClassVar[str] = "InternalError"

    def __init__(
        self,
        message: str,
        *,
        kind: str = "",
        group: str = "",
        name: str = "",
        uid: str = "",
        causes: Iterable[Cause] = (),
        retry_after: int | None = None,
        headers: Mapping[str, str] | None = None,
        status: Object | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.group = group
        self.name = name
        self.uid = uid
        self.causes = tuple(causes)
        self.retry_after = retry_after
        self.headers = dict(headers or {})
        self._status = status

    def has_cause(self, reason: str) -> bool:
        return any(cause.reason == reason for cause in self.causes)

    def status(self) -> Object:
        """The Status object that a client is sent."""
        if self._status is not None:
            return self._status
        status: Object = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
        }
        details = self._details()
        if details:
            status["details"] = details
        status["code"] = self.code
        return status

    def _details(self) -> Object:
        named = {"name": self.name, "group": self.group, "kind": self.kind, "uid": self.uid}
        details: Object = {key: value for key, value in named.items() if value}
        if self.causes:
            details["causes"] = [{"reason": c.reason, "message": c.message, "field": c.field} for c in self.causes]
        if self.retry_after is not None:
            details["retryAfterSeconds"] = self.retry_after
        return details


class BadRequest(ApiError):
    code, reason = 400, "BadRequest"


class Unauthorized(ApiError):
    code, reason = 401, "Unauthorized"


class Forbidden(ApiError):
    code, reason = 403, "Forbidden"


class NotFound(ApiError):
    code, reason = 404, "NotFound"


class MethodNotAllowed(ApiError):
    code, reason = 405, "MethodNotAllowed"


class NotAcceptable(ApiError):
    code, reason = 406, "NotAcceptable"


class Conflict(ApiError):
    code, reason = 409, "Conflict"


class AlreadyExists(Conflict):
    code, reason = 409, "AlreadyExists"


class Gone(ApiError):
    code, reason = 410, "Gone"


class Expired(Gone):
    code, reason = 410, "Expired"


class TooLarge(ApiError):
    code, reason = 413, "RequestEntityTooLarge"


class UnsupportedMediaType(ApiError):
    code, reason = 415, "UnsupportedMediaType"


class Invalid(ApiError):
    code, reason = 422, "Invalid"

    @classmethod
    def of(cls, kind: str, group: str, name: str, causes: Iterable[Cause]) -> "Invalid":
        """`Pod "a" is invalid: spec.containers: Required value`, with every cause in the details."""
        causes = tuple(causes)
        lines = [f"{cause.field}: {cause.message}" for cause in causes]
        listed = lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"
        qualified = f"{kind}.{group}" if group else kind
        return cls(f'{qualified} "{name}" is invalid: {listed}', kind=kind, group=group, name=name, causes=causes)


class TooManyRequests(ApiError):
    code, reason = 429, "TooManyRequests"


class InternalError(ApiError):
    code, reason = 500, "InternalError"


class ServiceUnavailable(ApiError):
    code, reason = 503, "ServiceUnavailable"


class Timeout(ApiError):
    code, reason = 504, "Timeout"


class InsufficientStorage(ApiError):
    code, reason = 507, "InsufficientStorage"


def _all_subclasses(cls: type[ApiError]) -> list[type[ApiError]]:
    return [found for sub in cls.__subclasses__() for found in (sub, *_all_subclasses(sub))]


def from_status(code: int, status: Any) -> ApiError:
    """The error that a server's answer stands for: by reason first, then by code."""
    reason = str(dig(status, "reason") or "")
    message = str(dig(status, "message") or f"the server answered {code}")
    known = _all_subclasses(ApiError)
    found = next((cls for cls in known if cls.reason == reason), None)
    found = found or next((cls for cls in known if cls.code == code), ApiError)
    details = dig_object(status, "details")
    listed = [cause for cause in dig_list(details, "causes") if is_object(cause)]
    causes = [Cause(str(c.get("field", "")), str(c.get("message", "")), str(c.get("reason", ""))) for c in listed]
    return found(
        message,
        kind=str(details.get("kind", "")),
        group=str(details.get("group", "")),
        name=str(details.get("name", "")),
        causes=causes,
        retry_after=details.get("retryAfterSeconds"),
        status=status if is_object(status) else None,
    )
