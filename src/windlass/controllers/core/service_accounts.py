"""Namespace -> its service account `default`, which pods run as that name none."""

from windlass.apis.core_v1 import Namespace, ServiceAccount
from windlass.kube.controller import Controller, Key, Observed
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Create, Plan
from windlass.kube.view import typed

NAME = "default"
DEFAULTS = typed(ServiceAccount).narrowed(f"metadata.name={NAME}")


def reconcile(namespace: Namespace, observed: Observed) -> Plan:
    """Create it again when it is deleted; otherwise it is the user's to change."""
    if namespace.metadata.deletion_timestamp is not None:
        return Plan()
    return Plan([Create(ServiceAccount(metadata=ObjectMeta(name=NAME, namespace=namespace.metadata.name)))])


def namespace_of(account: ServiceAccount) -> Key:
    return Key("", account.metadata.namespace)


CONTROLLER = Controller(
    "serviceaccount", Namespace, reconcile, watches=[(DEFAULTS, namespace_of)], children_owned=False
)
