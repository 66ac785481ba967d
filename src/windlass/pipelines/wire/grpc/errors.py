"""An error as the details that a call's status carries: what the body of the error is over HTTP. Pure."""

from windlass.formats.protobuf_json import from_json
from windlass.formats.protobuf_messages import encode
from windlass.formats.protobuf_well_known import STATUS
from windlass.pipelines.wire.errors import WireError


def status_details(error: WireError) -> bytes:
    """A google.rpc.Status."""
    return encode(STATUS, from_json(STATUS, error.body()))
