"""Decoding of request bodies in Kubernetes' protobuf format, which kubectl sends for typed commands.

The verbs only need `decode`. `formats.protobuf_wire` splits bytes into numbered fields, `table` maps the numbers to
JSON fields, `values` formats the types that are strings in JSON.
"""

from windlass.apiserver.protobuf.decoding import decode

__all__ = ["decode"]
