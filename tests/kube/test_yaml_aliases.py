"""YAML that stands for far more than it says is refused before it is built."""

import pytest
import yaml

from windlass.kube.yaml_aliases import ExcessiveAliasing, check_aliases


def bomb(levels: int, width: int = 10) -> str:
    lines = ["a0: &a0 [x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize("text", [bomb(9), bomb(60, 2), "&a [*a]", "a: &a\n  b: *a"])
def test_a_document_that_grows_without_measure_is_refused(text: str) -> None:
    with pytest.raises(ExcessiveAliasing, match="excessive aliasing"):
        check_aliases(yaml.compose(text, yaml.SafeLoader))


@pytest.mark.parametrize("text", [bomb(3), "a: &a {b: 1}\nc: {<<: *a, d: *a}", "x", "[]"])
def test_ordinary_aliases_pass(text: str) -> None:
    check_aliases(yaml.compose(text, yaml.SafeLoader))
