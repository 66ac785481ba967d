"""What Volcano's admission leaves to the API server: whether a pod template and a regular expression are right."""

from copy import deepcopy

from windlass.apis.volcano.admission import Checks
from windlass.apiserver.builtin.pod_defaults import default_template
from windlass.apiserver.builtin.pod_validation import check_template
from windlass.apiserver.crds import patterns
from windlass.kube.errors import Cause
from windlass.kube.json import Object


def _template(template: Object) -> list[Cause]:
    causes: list[Cause] = []
    filled = deepcopy(template)
    default_template(filled)
    check_template("template", filled, causes)
    return causes


def _pattern(pattern: str) -> str:
    try:
        patterns.check(pattern)
    except patterns.BadPattern as bad:
        return str(bad)
    return ""


CHECKS = Checks(_template, _pattern)
