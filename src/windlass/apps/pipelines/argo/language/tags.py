"""Replaces tags in templates: `{{inputs.parameters.x}}`, and expressions, `{{=asInt(inputs.parameters.x) + 1}}`.

Tags are replaced in every string of a template. A tag that is no variable of Argo's (`{{ .Values.x }}` of another
program) stays as it is; one that is and cannot be resolved raises, unless the caller allows it.
"""

import re
from typing import Any

from windlass.apps.pipelines.argo.language.expressions import ExpressionError, evaluate
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.kube.json import is_list, is_object

_TAG = re.compile(r"\{\{(=?)(.*?)\}\}", re.DOTALL)
_VARIABLE = re.compile(r"(inputs|outputs|workflow|tasks|steps|pod|node|item|retries|lastRetry|cronworkflow)(\.|\[|$)")


class TagError(ValueError):
    """A tag that cannot be replaced; the message names it."""


def substitute(value: Any, scope: Scope, *, allow_unresolved: bool = False) -> Any:
    """Replace the tags in a value of JSON. Raises TagError."""
    if isinstance(value, str):
        return substitute_text(value, scope, allow_unresolved=allow_unresolved)
    if is_object(value):
        return {
            str(substitute(name, scope, allow_unresolved=allow_unresolved)): substitute(
                inner, scope, allow_unresolved=allow_unresolved
            )
            for name, inner in value.items()
        }
    if is_list(value):
        return [substitute(inner, scope, allow_unresolved=allow_unresolved) for inner in value]
    return value


def substitute_text(text: str, scope: Scope, *, allow_unresolved: bool = False) -> str:
    """Replace the tags in a text. Raises TagError."""
    end = text.rfind("}}") + 2  # behind it no tag ends, and looking for an end from each start would take long
    if end < 2 or "{{" not in text:
        return text

    def replaced(tag: re.Match[str]) -> str:
        source = tag[2].strip()
        try:
            return text_of(evaluate(source, scope) if tag[1] else scope.value(source))
        except Unresolved as missing:
            if allow_unresolved or (not tag[1] and not _VARIABLE.match(source)):
                return tag[0]
            raise TagError(f"failed to resolve {{{{{tag[1]}{source}}}}}: {missing} has no value here") from None
        except ExpressionError as bad:
            raise TagError(f"failed to evaluate {{{{={source}}}}}: {bad}") from None

    return _TAG.sub(replaced, text[:end]) + text[end:]


def tag_name(text: str) -> str:
    """The name of the only tag in a text; the text itself where it is no tag."""
    found = re.fullmatch(r"\s*\{\{([^=].*?)\}\}\s*", text)
    return found[1].strip() if found else text.strip()
