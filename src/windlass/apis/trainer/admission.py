"""What becomes of training jobs and runtimes on their way in: filled in, checked, warned of. Pure.

For the server's plug-in and for webhooks alike; `Known` is what must be known of the cluster besides the object.
"""

from collections.abc import Iterable
from datetime import datetime

from windlass.apis.jobset.wording import aggregated, told
from windlass.apis.trainer.defaults import with_times
from windlass.apis.trainer.runtime_validation import DEPRECATION, is_deprecated, runtime_problems, runtime_warnings
from windlass.apis.trainer.validation import Known, job_problems, unsupported
from windlass.apis.trainer_v1alpha1 import GROUP
from windlass.kube.errors import Cause
from windlass.kube.json import Object, dig

__all__ = ["Known", "filled", "problem", "warnings", "webhook"]


def webhook(kind: str) -> str:
    """Who refuses, as upstream's webhook is called."""
    return f"validator.{kind.lower()}.{GROUP}"


def filled(kind: str, obj: Object, old: Object | None, now: datetime) -> Object:
    """With what it leaves out; `obj` is left alone."""
    return with_times(obj, old, now) if kind == "TrainJob" else obj


def problem(kind: str, obj: Object, old: Object | None, known: Known) -> str:
    """Why it may not be made, or changed from `old`; empty where it may.

    What was accepted once must not keep an object from being marked or deleted.
    """
    if old is not None and obj.get("spec") == old.get("spec"):
        return ""
    if kind != "TrainJob":
        return _listed(runtime_problems(obj))
    return unsupported(obj) or _listed(job_problems(obj, old, known))


def warnings(kind: str, obj: Object, old: Object | None, known: Known) -> list[str]:
    """What is accepted and should not stay so, or has no effect."""
    if kind != "TrainJob":
        return list(runtime_warnings(obj)) if old is None else []
    if (old is not None and obj.get("spec") == old.get("spec")) or known.runtime is None:
        return []
    runtime = known.runtime
    name = f'{runtime.get("kind")} "{dig(runtime, "metadata", "name")}"'
    return [f"Referenced {name} {DEPRECATION}"] if is_deprecated(runtime) else []


def _listed(causes: Iterable[Cause]) -> str:
    """Each once, and all of them."""
    return aggregated(list(dict.fromkeys(told(causes))))
