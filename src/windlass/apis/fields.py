"""Field types that many kinds share, with the bounds of their CRD schema."""

from typing import Annotated, Any, TypeAlias

from windlass.kube.kind import Column
from windlass.kube.meta import Meta, Time
from windlass.kube.quantity import PATTERN

Int32: TypeAlias = Annotated[int, Meta(extra_json_schema={"format": "int32"})]
Count: TypeAlias = Annotated[int, Meta(ge=0, extra_json_schema={"format": "int32"})]

LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
Name: TypeAlias = Annotated[str, Meta(max_length=253)]
DnsName: TypeAlias = Annotated[Name, Meta(pattern=rf"^{LABEL}(\.{LABEL})*$")]

Moment: TypeAlias = Annotated[Time, Meta(extra_json_schema={"format": "date-time"})]

IntOrString: TypeAlias = Annotated[
    int | str,
    Meta(extra_json_schema={"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}),
]

Quantity: TypeAlias = Annotated[
    int | str,
    Meta(
        extra_json_schema={
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "pattern": PATTERN,
            "x-kubernetes-int-or-string": True,
        }
    ),
]
ResourceList: TypeAlias = dict[str, Quantity]

Foreign: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema={"type": "object", "x-kubernetes-preserve-unknown-fields": True})
]
"""An object that another API defines (a pod template), preserved as written."""

PodTemplate: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": "io.k8s.api.core.v1.PodTemplateSpec"})
]
"""Kubernetes' own PodTemplateSpec, preserved as written; `apis.crd` inserts its schema."""

AGE = Column("Age", ".metadata.creationTimestamp", "date")
"""The column that `kubectl get` shows last for most kinds."""
