"""The admission of Lamps: their default brightness, and its bounds."""

from windlass.apps.lamps.kinds import GROUP, Lamp

from windlass.apis.admission import Facts, Mutation, Request, Rule, Validation, Verdict, default_path, refused
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS

LAMP = KINDS.of(Lamp)


def mutate(request: Request, facts: Facts) -> Object:
    lamp = request.obj or {}
    return {**lamp, "spec": {"brightness": 50, **lamp.get("spec", {})}}


def validate(request: Request, facts: Facts) -> Verdict:
    brightness = dig(request.obj, "spec", "brightness")
    return refused("" if 0 <= brightness <= 100 else f"spec.brightness: Invalid value: {brightness}: must be 0 to 100")


RULES: tuple[Rule, ...] = (
    Mutation(
        kind=LAMP,
        name=f"defaulter.lamp.{GROUP}",
        path=default_path("mutate", LAMP),
        configuration=f"defaulter.{GROUP}",
        mutate=mutate,
    ),
    Validation(
        kind=LAMP,
        name=f"validator.lamp.{GROUP}",
        path=default_path("validate", LAMP),
        configuration=f"validator.{GROUP}",
        validate=validate,
    ),
)
