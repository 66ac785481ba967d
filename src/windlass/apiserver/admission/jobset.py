"""JobSets are filled in and checked as upstream's webhook does it, in the same words and without a webhook."""

from typing import ClassVar

from windlass.apis.jobset import admission
from windlass.apis.jobset_v1alpha2 import GROUP
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.admission.reviews import Refusal
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.job_templates import job_template_causes


class JobSets(Plugin):
    """By the rules in `windlass.apis.jobset.admission`; a Job that could not be made is refused with its set."""

    kinds = frozenset({f"{GROUP}/jobsets"})
    operations: ClassVar[frozenset[str]] = frozenset({"CREATE", "UPDATE"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def mutate(self, attributes: Attributes) -> None:
        if attributes.obj is not None:
            attributes.obj.update(admission.filled(attributes.obj))

    def validate(self, attributes: Attributes) -> None:
        obj, old = attributes.obj, attributes.old
        assert obj is not None
        found = admission.problems(
            obj,
            old,
            claim=lambda name: self._api.read("/persistentvolumeclaims", attributes.namespace, name),
            template=job_template_causes,
        )
        if found:
            why = admission.refusal(found, of_update=old is not None)
            raise Refusal(admission.WEBHOOK, {"message": why, "reason": "Forbidden", "code": 403})
        if old is None:
            told = [one for one in admission.warnings(obj) if one not in attributes.warnings]
            attributes.warnings += told  # once, however often this is asked: twice, where webhooks are configured
