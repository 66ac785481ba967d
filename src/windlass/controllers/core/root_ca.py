"""Namespace -> its ConfigMap `kube-root-ca.crt`, by which pods know the API server.

The server publishes its certificate authority in that ConfigMap in kube-system; this copies it to every other namespace
and puts it right when someone changes a copy.
"""

from windlass.apis.core_v1 import ConfigMap, Namespace
from windlass.kube.controller import Controller, Key, Observed
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Apply, Plan
from windlass.kube.view import typed

NAME = "kube-root-ca.crt"
SOURCE = "kube-system"
COPIES = typed(ConfigMap).narrowed(f"metadata.name={NAME}")
DESCRIPTION = {
    "kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when using "
    "internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across "
    "distributions of Kubernetes clusters."
}


def reconcile(namespace: Namespace, observed: Observed) -> Plan:
    name = namespace.metadata.name
    source = observed.one(COPIES, NAME, SOURCE)
    if source is None or name == SOURCE or namespace.metadata.deletion_timestamp is not None:
        return Plan()
    metadata = ObjectMeta(name=NAME, namespace=name, annotations=DESCRIPTION)
    return Plan([Apply(ConfigMap(metadata=metadata, data=source.data))])


def namespace_of(copy: ConfigMap) -> Key:
    return Key("", copy.metadata.namespace)


CONTROLLER = Controller(
    "root-ca-cert-publisher",
    Namespace,
    reconcile,
    watches=[(COPIES, namespace_of)],
    children_owned=False,
)
