"""The matchConditions of webhooks: CEL expressions that must all be true for the webhook to be called."""

from collections.abc import Iterable

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.facts import authorizer, namespace_of
from windlass.apiserver.admission.policies import Scope, conditions_hold
from windlass.apiserver.api import Api
from windlass.kube.json import Json


class Undecided(Exception):
    """Raised if no condition is false and some could not be evaluated."""


def all_hold(api: Api, conditions: Iterable[Json], attributes: Attributes) -> bool:
    """Whether to call a webhook with these conditions. Raises `Undecided`."""
    from windlass.apiserver.cel.library import AUTHORIZE

    token = AUTHORIZE.set(authorizer(api, attributes))
    try:
        held, errors = conditions_hold(conditions, Scope(attributes, namespace_of(api, attributes)))
    finally:
        AUTHORIZE.reset(token)
    if held and errors:
        raise Undecided(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")
    return held
