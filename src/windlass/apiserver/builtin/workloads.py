"""The common parts of workloads: a selector, and the template of the pods that it must match."""

from windlass.apiserver.builtin.fields import (
    Causes,
    check_hundred_percent_or_less,
    check_int_or_percent,
    check_label_selector,
    check_not_negative,
    unsupported,
)
from windlass.apiserver.builtin.pod_validation import check_template
from windlass.apiserver.builtin.pod_warnings import template_warnings
from windlass.apiserver.builtin.strategy import Builtin
from windlass.kube import selector as selectors
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_object

NO_MATCH = "`selector` does not match template `labels`"


class Workload(Builtin):
    """A kind with `spec.template`; its warnings are those of its pods."""

    def warnings(self, obj: Object) -> list[str]:
        return template_warnings("spec.template", dig_object(obj, "spec", "template"))


def check_counts(spec: Object, causes: Causes) -> None:
    """Validate that the common counts of workloads are not negative."""
    for field in ("replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"):
        check_not_negative(f"spec.{field}", spec.get(field), causes)


def check_selector(spec: Object, kind: str, causes: Causes) -> None:
    """Validate the selector; `kind` is Kubernetes' name of the workload in the error about an empty selector."""
    selector = spec.get("selector")
    if selector is None:
        causes.append(required("spec.selector"))
        return
    before = len(causes)
    check_label_selector("spec.selector", selector, causes)
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        causes.append(invalid("spec.selector", selector, f"empty selector is invalid for {kind}"))
    elif len(causes) == before and not selects_own_template(spec):
        labels = dig_object(spec, "template", "metadata", "labels")
        causes.append(invalid("spec.template.metadata.labels", labels, NO_MATCH))


def selects_own_template(spec: Object) -> bool:
    try:
        selector = selectors.from_object(spec.get("selector"))
    except ValueError:
        return False
    return selector.matches(dig_object(spec, "template", "metadata", "labels"))


def check_lasting_template(spec: Object, kind: str, causes: Causes) -> None:
    """Validate the template of pods that run indefinitely."""
    check_template("spec.template", dig_object(spec, "template"), causes)
    policy = dig(spec, "template", "spec", "restartPolicy")
    if policy != "Always" and policy in ("OnFailure", "Never"):
        causes.append(unsupported("spec.template.spec.restartPolicy", policy, ("Always",)))
    if dig(spec, "template", "spec", "activeDeadlineSeconds") is not None:
        causes.append(
            forbidden("spec.template.spec.activeDeadlineSeconds", f"activeDeadlineSeconds in {kind} is not Supported")
        )


def check_rolling_update(path: str, rolling: Object, causes: Causes) -> None:
    """Validate maxUnavailable and maxSurge: numbers or percentages that are not both zero."""
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    check_int_or_percent(f"{path}.maxUnavailable", unavailable, causes)
    check_int_or_percent(f"{path}.maxSurge", surge, causes)
    if unavailable in (0, "0%") and surge in (0, "0%"):
        causes.append(invalid(f"{path}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0"))
    check_hundred_percent_or_less(f"{path}.maxUnavailable", unavailable, causes)


def selector_immutable(new: Object, old: Object) -> list[Cause]:
    now, then = dig(new, "spec", "selector"), dig(old, "spec", "selector")
    return [invalid("spec.selector", now, "field is immutable")] if now != then else []
