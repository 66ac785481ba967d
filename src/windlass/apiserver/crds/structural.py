"""The openAPIV3Schema of one version, compiled: prunes, defaults and validates custom resources.

    schema = Structural(version["schema"]["openAPIV3Schema"])
    schema.prune(obj); schema.default(obj); causes = schema.validate(obj)

Everything is compiled on first use and kept. Validation rules (CEL) load their runtime only if the schema has any.
"""

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from windlass.apiserver.crds.defaulting import Default, compile_default
from windlass.apiserver.crds.findings import MAX_FINDINGS, BoundedFindings, Finding, Link, TooManyFindings, found_at
from windlass.apiserver.crds.pruning import Prune, compile_prune
from windlass.apiserver.crds.validating import Check, compile_check
from windlass.kube.errors import Cause
from windlass.kube.json import Json, Object, is_list, is_object
from windlass.kube.schema import shared

if TYPE_CHECKING:
    from windlass.apiserver.cel.rules import Rules


class Structural:
    """A compiled schema. `raw` is the openAPIV3Schema, which must not change afterwards."""

    def __init__(self, raw: Object) -> None:
        self.raw = raw

    @cached_property
    def _check(self) -> Check:
        return compile_check(self.raw)

    @cached_property
    def _default(self) -> Default | None:
        return compile_default(self.raw)

    @cached_property
    def _prune(self) -> Prune | None:
        return compile_prune(self.raw, root=True)

    @cached_property
    def rules(self) -> "Rules | None":
        """The schema's x-kubernetes-validations; None without any."""
        if not has_rules(self.raw):
            return None
        from windlass.apiserver.cel.rules import compile_rules

        return compile_rules(self.raw)

    def prune(self, obj: Object) -> None:
        if self._prune is not None:
            self._prune(obj)

    def default(self, obj: Object) -> None:
        if self._default is not None:
            self._default(obj)

    def validate(self, obj: Object) -> list[Cause]:
        """Return all errors of a new object; CEL rules run last and only if the structure is valid."""
        found = self.shape_findings(obj)
        if found:
            return [cause for _, cause in found]
        return self.rules.check(obj) if self.rules else []

    def validate_transition(self, new: Object, old: Object) -> list[Cause]:
        """Evaluate the rules that use `oldSelf`, if the structure of the new object is valid."""
        if self.rules is None or self.shape_findings(new):
            return []
        return self.rules.check_transition(new, old)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        """Return all errors of an update; old errors in unchanged fields are tolerated (ratcheting)."""
        found = self.shape_findings(new)
        kept = [cause for link, cause in found if not _unchanged(new, old, link)]
        if len(found) >= MAX_FINDINGS:  # others, in changed fields, were not looked for
            return kept or [found[-1][1]]
        if kept or found:
            return kept
        return self.rules.check_update(new, old) if self.rules else []

    def shape_findings(self, obj: Object) -> list[Finding]:
        """The errors of an object, at most MAX_FINDINGS."""
        found = BoundedFindings()
        with suppress(TooManyFindings):
            self._check(obj, None, found)
        return found


def _unchanged(new: Object, old: Object, link: Link) -> bool:
    """Whether the nearest existing value at the finding's path is unchanged from the old object."""
    place = link
    there, value = found_at(new, place)
    if not there and place is not None:  # a required field that is missing: its owner is what counts
        place = place[0]
        there, value = found_at(new, place)
    was_there, before = found_at(old, place)
    return there and was_there and value == before


def has_rules(schema: Json) -> bool:
    """Whether a schema has x-kubernetes-validations at any depth."""
    if is_list(schema):
        return any(has_rules(item) for item in schema)
    if not is_object(schema):
        return False
    if shared.is_kept(schema):  # Kubernetes' own types have none
        return False
    if schema.get("x-kubernetes-validations"):
        return True
    return any(has_rules(value) for key, value in schema.items() if key not in ("default", "enum", "example"))
