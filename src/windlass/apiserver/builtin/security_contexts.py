"""Validation of the security contexts of pods and containers."""

import re

from windlass.apiserver.builtin.fields import MAX_INT32, Causes, check_enum, unsupported
from windlass.kube.errors import duplicate, invalid, required
from windlass.kube.json import Object, dig_list

_ID_RANGE = f"must be between 0 and {MAX_INT32}, inclusive"


def _check_ids(path: str, context: Object, fields: tuple[str, ...], causes: Causes) -> None:
    for field in fields:
        value = context.get(field)
        if value is not None and not 0 <= value <= MAX_INT32:
            causes.append(invalid(f"{path}.{field}", value, _ID_RANGE))


def _check_profile(path: str, profile: Object, causes: Causes) -> None:
    """Validate a seccomp or AppArmor profile."""
    kind, local = profile.get("type", ""), profile.get("localhostProfile")
    check_enum(f"{path}.type", kind, ("Localhost", "RuntimeDefault", "Unconfined"), causes)
    if kind == "Localhost":
        if not local:
            causes.append(required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost"))
        elif local.startswith("/"):
            causes.append(invalid(f"{path}.localhostProfile", local, "must be a relative path"))
    elif local is not None:
        causes.append(invalid(f"{path}.localhostProfile", local, "can only be set when seccomp type is Localhost"))


def check_container_context(path: str, context: Object, causes: Causes) -> None:
    _check_ids(path, context, ("runAsUser", "runAsGroup"), causes)
    mount = context.get("procMount")
    if mount is not None and mount not in ("Default", "Unmasked"):
        causes.append(unsupported(f"{path}.procMount", mount, ("Default", "Unmasked")))
    if "seccompProfile" in context:
        _check_profile(f"{path}.seccompProfile", context["seccompProfile"], causes)
    if context.get("allowPrivilegeEscalation") is not False:
        return
    if context.get("privileged"):
        why = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        causes.append(invalid(path, context, why))
    if "CAP_SYS_ADMIN" in dig_list(context, "capabilities", "add"):
        why = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        causes.append(invalid(path, context, why))


_SYSCTL = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")
_LONGEST_SYSCTL = 253
_FS_GROUP_POLICIES = ("Always", "OnRootMismatch")


def check_pod_context(path: str, context: Object, causes: Causes) -> None:
    if not context:
        return
    _check_ids(path, context, ("runAsUser", "runAsGroup", "fsGroup"), causes)
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        if not 0 <= group <= MAX_INT32:
            causes.append(invalid(f"{path}.supplementalGroups[{index}]", group, _ID_RANGE))
    policy = context.get("fsGroupChangePolicy")
    if policy is not None and policy not in _FS_GROUP_POLICIES:
        causes.append(unsupported(f"{path}.fsGroupChangePolicy", policy, _FS_GROUP_POLICIES))
    if "seccompProfile" in context:
        _check_profile(f"{path}.seccompProfile", context["seccompProfile"], causes)
    names: set[str] = set()
    for index, sysctl in enumerate(context.get("sysctls") or ()):
        name = sysctl.get("name", "")
        if not name:
            causes.append(required(f"{path}.sysctls[{index}].name"))
        elif len(name) > _LONGEST_SYSCTL or not _SYSCTL.fullmatch(name):
            why = f"must have at most {_LONGEST_SYSCTL} characters and match regex {_SYSCTL.pattern}"
            causes.append(invalid(f"{path}.sysctls[{index}].name", name, why))
        elif name in names:
            causes.append(duplicate(f"{path}.sysctls[{index}].name", name))
        names.add(name)
