"""Equal strings of cached objects are one string, and nothing else about them changes."""

import msgspec

from windlass.apis.core_v1 import Service
from windlass.kube.sharing import share_strings

LABELS = {"training.kubeflow.org/operator-name": "tfjob-controller"}
OWNER = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "name": "demo", "uid": "1"}
METADATA = {"name": "demo", "namespace": "team-a", "labels": LABELS, "ownerReferences": [OWNER]}


def decoded() -> Service:
    value = {"metadata": METADATA, "spec": {"selector": LABELS, "ports": [{"port": 1}]}}
    return msgspec.json.decode(msgspec.json.encode(value), type=Service)


def test_labels_selectors_owners_and_namespaces_are_shared() -> None:
    one, other = decoded(), decoded()
    for service in (one, other):
        share_strings(service)
    assert one == other == decoded()
    for mine, theirs in zip(_strings(one), _strings(other), strict=True):
        assert mine is theirs


def _strings(service: Service) -> list[str]:
    metadata = service.metadata
    mappings = (metadata.labels, service.spec.selector)
    owner = metadata.owner_references[0]
    return [
        metadata.namespace,
        owner.kind,
        owner.api_version,
        *(s for m in mappings for pair in m.items() for s in pair),
    ]


def test_objects_without_any_of_that_and_plain_json_are_left_alone() -> None:
    bare = Service()
    share_strings(bare)
    assert bare == Service()
    plain = {"metadata": {"name": "x"}}
    share_strings(plain)
    assert plain == {"metadata": {"name": "x"}}
