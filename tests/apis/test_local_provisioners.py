from typing import Any

import pytest

from windlass.apis.local_provisioners import class_for, requirements_of

CLASSES = {
    "local-path": "rancher.io/local-path",
    "standard": "rancher.io/local-path",
    "windlass-shared": "shared.windlass.dev",
    "disk": "example.com/disk",
}


@pytest.mark.parametrize(
    ("spec", "default", "given"),
    [
        ({"accessModes": ["ReadWriteOnce"]}, "local-path", "local-path"),
        ({"accessModes": ["ReadWriteOnce", "ReadOnlyMany"]}, "local-path", "local-path"),
        ({"accessModes": ["ReadWriteMany"]}, "local-path", "windlass-shared"),
        ({"accessModes": ["ReadOnlyMany"]}, "local-path", "windlass-shared"),
        ({"accessModes": ["ReadWriteOnce"], "dataSource": {"name": "x"}}, "local-path", "windlass-shared"),
        ({"accessModes": ["ReadWriteMany"]}, "standard", "standard"),
        ({"accessModes": ["ReadWriteMany"]}, "disk", "disk"),
        ({"accessModes": ["ReadWriteMany"], "volumeMode": "Block"}, "local-path", "local-path"),
        ({"accessModes": ["ReadWriteMany"], "selector": {}}, "local-path", "local-path"),
    ],
)
def test_a_claim_without_a_class_gets_one_that_can_serve_it(spec: dict[str, Any], default: str, given: str) -> None:
    assert class_for(requirements_of(spec), default, CLASSES) == given


def test_the_default_class_stays_where_there_is_no_shared_one() -> None:
    alone = {"local-path": CLASSES["local-path"]}

    assert class_for(requirements_of({"accessModes": ["ReadWriteMany"]}), "local-path", alone) == "local-path"
