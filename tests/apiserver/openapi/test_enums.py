"""Values of fields: each of them is about a field that there is, and is told to who asks."""

import pytest

from windlass.apiserver.openapi.components import Components
from windlass.apiserver.openapi.enums import ENUMS
from windlass.kube.definitions import definition


@pytest.mark.parametrize("name", ENUMS)
def test_values_are_of_string_fields_that_exist_and_are_sorted(name: str) -> None:
    properties = definition(name)["properties"]
    for field, values in ENUMS[name].items():
        assert "string" in properties[field]["type"]
        assert list(values) == sorted(values)


@pytest.mark.parametrize("version", [2, 3])
def test_a_document_lists_the_values_and_describes_them(version: int) -> None:
    components = Components(version)
    components._reference("io.k8s.api.core.v1.PodSpec")  # pyright: ignore[reportPrivateUsage] - `of` needs a resource
    policy = components.schemas()["io.k8s.api.core.v1.PodSpec"]["properties"]["restartPolicy"]
    assert policy["enum"] == ["Always", "Never", "OnFailure"]
    assert policy["description"].endswith('Possible enum values:\n - `"Always"`\n - `"Never"`\n - `"OnFailure"`')
