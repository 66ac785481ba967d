"""Whether an embedded manager asks its server only for what the printed roles allow on a cluster.

The embedded manager may do more than one on a cluster, so no story would notice a right that the manifests lack. Its
server therefore logs what each controller asks for, and the log is compared with the roles when the server stops.
"""

import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from windlass.apiserver.auth.attributes import Attributes
from windlass.apiserver.auth.rules import Rule, compile_rules

MANAGER = "system:kube-controller-manager"
POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata", "users": [MANAGER]}, {"level": "None"}],
}
EMBEDDED_ONLY = {"gangbindings"}
"""Kinds that a cluster does not serve; programs there learn that first and do without."""


def audit_flags(folder: Path) -> tuple[str, ...]:
    """The flags of a server that logs to `log_in` the same folder."""
    policy = folder / "manager-audit-policy.json"
    policy.write_text(json.dumps(POLICY))
    return ("--audit-policy-file", str(policy), "--audit-log-path", str(log_in(folder)))


def log_in(folder: Path) -> Path:
    return folder / "manager-audit.log"


def check_rights(folder: Path) -> None:
    """Raise AssertionError if the log has a request that the same controller may not make on a cluster."""
    log = log_in(folder)
    missing = missing_rights(log.read_bytes()) if log.exists() else []
    assert not missing, f"the roles of `windlass manifests` lack: {missing}"


def missing_rights(log: bytes) -> list[str]:
    """The requests of an audit log that the roles do not allow, each once, as `controller: verb group/resource`."""
    asked = {request for line in log.splitlines() if line.endswith(b"}") for request in requests_of(json.loads(line))}
    return sorted(
        f"{controller}: {it.verb} {it.group}/{it.resource}{'/' if it.subresource else ''}{it.subresource}"
        for controller, it in asked
        if not is_allowed(controller, it)
    )


def requests_of(event: Any) -> Iterator[tuple[str, Attributes]]:
    """What an event needed, and of which controller; names and namespaces matter only where a rule names objects."""
    _, _, controller = event.get("userAgent", "").partition("/")
    asked = event.get("objectRef")
    if not controller or asked is None:
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


def is_allowed(controller: str, asked: Attributes) -> bool:
    rules = rules_of().get(controller)
    return rules is None or asked.resource in EMBEDDED_ONLY or any(rule.allows(asked) for rule in rules)


@cache
def rules_of() -> dict[str, tuple[Rule, ...]]:
    """The rules that a controller has where its family is installed; Kubernetes' own controllers have none here."""
    from tests.deploy.contexts import contexts
    from windlass.apis.families import FAMILIES
    from windlass.deploy.manager import Installation
    from windlass.deploy.manager_permissions import cluster_rules
    from windlass.deploy.scheduler_permissions import scheduler_rules
    from windlass.scheduler.model.pod_groups import DEFAULT

    found = {DEFAULT: compile_rules(scheduler_rules())}
    on_cluster = [context for context in contexts() if not context.is_embedded]
    for family in FAMILIES:
        if family.controllers:
            options = [family.option.flag] if family.option is not None else []
            rules = compile_rules(cluster_rules(Installation.of("", "", options=options).families))
            for context in on_cluster:
                controllers = import_module(family.controllers).family_controllers(context)
                found |= {controller.name: rules for controller in controllers}
    return found
