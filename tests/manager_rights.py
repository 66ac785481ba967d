"""Whether an embedded manager asks its server only for what the printed roles allow on a cluster.

The embedded manager may do more than one on a cluster, so no story would notice a right that the manifests lack. Its
server therefore logs what each controller asks for, and the log is compared with the roles when the server stops.
Caches that controllers share, and the events of all of them, are asked for in nobody's name: there the right of any
controller counts.
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from windlass.apiserver.auth.attributes import Attributes
from windlass.apiserver.auth.rules import Rule, compile_rules

MANAGER = "system:kube-controller-manager"
RULES: tuple[Any, ...] = ({"level": "Metadata", "users": [MANAGER]},)
NOBODY = ""
"""The controller of requests that are made for all of them."""
EMBEDDED_ONLY = {"gangbindings"}
"""Kinds that a cluster does not serve; programs there learn that first and do without."""


def audit_flags(folder: Path, log: Path | None = None, more_rules: Iterable[Any] = ()) -> tuple[str, ...]:
    """The flags of a server with a manager, which logs to `log_in` the same folder or to a log that has more in it."""
    rules = [*RULES, *more_rules, {"level": "None"}]
    policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": rules}
    _policy_in(folder).write_text(json.dumps(policy))
    return ("--audit-policy-file", str(_policy_in(folder)), "--audit-log-path", str(log or log_in(folder)))


def log_in(folder: Path) -> Path:
    return folder / "manager-audit.log"


def _policy_in(folder: Path) -> Path:
    return folder / "manager-audit-policy.json"


def check_rights(folder: Path, log: Path | None = None) -> None:
    """Raise AssertionError if the log has a request that the same controller may not make on a cluster.

    A folder for which `audit_flags` was never asked had no manager.
    """
    if not _policy_in(folder).exists():
        return
    recorded = (log or log_in(folder)).read_bytes()
    controllers = {controller for controller, _ in recorded_requests(recorded)}
    assert controllers != {NOBODY}, "no request names its controller, so that nothing was compared with its role"
    missing = missing_rights(recorded)
    assert not missing, f"the roles of `windlass manifests` lack: {missing}"


def missing_rights(log: bytes) -> list[str]:
    """The requests of an audit log that the roles do not allow, each once, as `controller: verb group/resource`."""
    return sorted(
        f"{controller or 'any controller'}: {it.verb} {it.group}/{it.resource}"
        f"{'/' if it.subresource else ''}{it.subresource}"
        for controller, it in recorded_requests(log)
        if not is_allowed(controller, it)
    )


def recorded_requests(log: bytes) -> set[tuple[str, Attributes]]:
    """Every request of the manager in an audit log, with its controller."""
    events = (json.loads(line) for line in log.splitlines() if line.endswith(b"}"))
    return {request for event in events for request in requests_of(event)}


def requests_of(event: Any) -> Iterator[tuple[str, Attributes]]:
    """What an event needed, and of which controller; names and namespaces matter only where a rule names objects."""
    _, _, controller = event.get("userAgent", "").partition("/")
    asked = event.get("objectRef")
    if asked is None or event["user"]["username"] != MANAGER:
        return
    if "impersonatedUser" in event:  # the rest is that user's right
        yield controller, Attributes("impersonate", "", "serviceaccounts")
        return
    names = {"name": asked.get("name", "")} if asked["resource"] in ("configmaps", "clusterroles") else {}
    is_created = event["verb"] == "patch" and event["responseStatus"]["code"] == 201
    for verb in (event["verb"], *(("create",) if is_created else ())):
        yield (
            controller,
            Attributes(verb, asked.get("apiGroup", ""), asked["resource"], asked.get("subresource", ""), **names),
        )


@cache
def is_allowed(controller: str, asked: Attributes) -> bool:
    if asked.resource in EMBEDDED_ONLY:
        return True
    if controller == NOBODY:
        if asked.verb in ("list", "watch") and (asked.group, asked.resource) in watched_by_embedded():
            return True
        return any(rule.allows(asked) for rules in rules_of().values() for rule in rules)
    rules = rules_of().get(controller)
    return rules is None or any(rule.allows(asked) for rule in rules)


@cache
def watched_by_embedded() -> set[tuple[str, str]]:
    """API group and plural of each kind that controllers watch which a cluster brings itself."""
    from tests.deploy.contexts import watched_kinds
    from windlass.controllers import EMBEDDED

    return watched_kinds(EMBEDDED)


@cache
def rules_of() -> dict[str, tuple[Rule, ...]]:
    """The rules that a controller has where its app is installed; Kubernetes' own controllers have none here."""
    from tests.deploy.contexts import contexts
    from windlass.apps import all_apps
    from windlass.deploy.manager import Installation
    from windlass.deploy.manager_permissions import cluster_rules
    from windlass.deploy.scheduler_permissions import scheduler_rules
    from windlass.scheduler.model.pod_groups import DEFAULT

    found = {DEFAULT: compile_rules(scheduler_rules())}
    on_cluster = [context for context in contexts() if not context.is_embedded]
    for app in all_apps():
        if app.controllers:
            options = [app.install_option.flag] if app.install_option is not None else []
            rules = compile_rules(cluster_rules(Installation.of("", "", options=options).apps))
            for context in on_cluster:
                controllers = import_module(app.controllers).app_controllers(context)
                found |= {controller.name: rules for controller in controllers}
    return found
