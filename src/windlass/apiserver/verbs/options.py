"""The options of a write in the query: dryRun, fieldManager, fieldValidation and force."""

from windlass.apiserver.call import Call, is_set
from windlass.kube.errors import Cause, Invalid, forbidden, invalid, not_supported, required, too_long

KINDS = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}
_MODES = ("Ignore", "Strict", "Warn")
_MAX_MANAGER = 128
_APPLY = b"application/apply-patch"


def check_options(call: Call) -> None:
    """Refuse a write with invalid options, and report all of them."""
    query = call.query
    causes: list[Cause] = []
    dry_run = query.get("dryRun")
    if dry_run not in (None, "", "All"):
        causes.append(not_supported("dryRun", dry_run, ("All",)))
    manager = query.get("fieldManager", "")
    if len(manager.encode()) > _MAX_MANAGER:
        causes.append(too_long("fieldManager", _MAX_MANAGER))
    if not manager.isprintable():
        causes.append(invalid("fieldManager", manager, "should only contain printable characters"))
    mode = query.get("fieldValidation")
    if mode and mode not in _MODES:
        causes.append(not_supported("fieldValidation", mode, _MODES))
    if call.verb == "patch":
        causes += _patch_causes(call, manager)
    if causes:
        raise Invalid.of(KINDS[call.verb], "meta.k8s.io", "", causes)


def _patch_causes(call: Call, manager: str) -> list[Cause]:
    if call.request.headers.get(b"content-type", b"").startswith(_APPLY):
        return [] if manager else [required("fieldManager", "is required for apply patch")]
    return [forbidden("force", "may not be specified for non-apply patch")] if is_set(call.query, "force") else []
