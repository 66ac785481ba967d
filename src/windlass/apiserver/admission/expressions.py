"""Compiles the expressions of policies and match conditions when they are written, and refuses those that fail."""

from collections.abc import Iterator
from dataclasses import replace

from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.kube.errors import Cause, Invalid
from windlass.kube.json import Object, dig_list

GROUP = "admissionregistration.k8s.io"


class Expressions(Plugin):
    kinds = frozenset(
        f"{GROUP}/{plural}"
        for plural in (
            "mutatingwebhookconfigurations",
            "validatingadmissionpolicies",
            "validatingwebhookconfigurations",
        )
    )
    operations = frozenset({"CREATE", "UPDATE"})

    def validate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        causes = list(expression_causes(attributes.obj))
        if causes:
            raise Invalid.of(attributes.resource.kind, GROUP, attributes.name, causes)


def expression_causes(obj: Object) -> Iterator[Cause]:
    from windlass.apiserver.admission.policies import policy_causes

    if "webhooks" not in obj:
        yield from policy_causes(obj)
        return
    for index, webhook in enumerate(dig_list(obj, "webhooks")):
        conditions = dig_list(webhook, "matchConditions")
        for cause in policy_causes({"spec": {"matchConditions": conditions}}) if conditions else ():
            yield replace(cause, field=f"webhooks[{index}]{cause.field.removeprefix('spec')}")
