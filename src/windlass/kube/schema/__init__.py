"""The compiled structure of a kind: which fields it has, of which type, and how its lists and maps merge.

A `Schema` comes from an OpenAPI definition (`from_openapi`, built-in kinds) or from the `openAPIV3Schema` of a
CustomResourceDefinition (`from_crd`). Strict decoding (`check`), pruning (`drop_unknown`), strategic merge and
server-side apply all read the same tree. A `$ref` is followed when something first looks at it, so a kind costs nothing
until it is used and a definition may refer to itself.
"""

from windlass.kube.schema.check import Findings, check, drop_nulls, drop_nulls_of_metadata, drop_unknown
from windlass.kube.schema.crd import OBJECT_META, from_crd
from windlass.kube.schema.node import ANY, ATOMIC_ANY, Schema
from windlass.kube.schema.openapi import from_openapi

__all__ = [
    "ANY",
    "ATOMIC_ANY",
    "OBJECT_META",
    "Findings",
    "Schema",
    "check",
    "drop_nulls",
    "drop_nulls_of_metadata",
    "drop_unknown",
    "from_crd",
    "from_openapi",
]
