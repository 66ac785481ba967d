"""The result of a command for the error channel: a Status from version 4 on, plain text before."""

from windlass.kube.json import Object
from windlass.kube.json import encode as encode_json

SUCCESS: Object = {"metadata": {}, "status": "Success"}


def ended(exit_code: int) -> Object:
    if exit_code == 0:
        return SUCCESS
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: exit status {exit_code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(exit_code)}]},
    }


def failed(message: str) -> Object:
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"Internal error occurred: {message}",
        "reason": "InternalError",
        "details": {"causes": [{"message": message}]},
        "code": 500,
    }


def encode(status: Object, *, structured: bool) -> bytes:
    """Encode a status for the error channel."""
    if structured:
        return encode_json(status)
    return b"" if status["status"] == "Success" else str(status["message"]).encode()
