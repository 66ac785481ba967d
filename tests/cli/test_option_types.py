"""A value that does not fit is refused by saying which one would."""

import re

import click
import pytest
from click.testing import CliRunner

from windlass.cli.main import cli
from windlass.cli.option_types import RESOURCES, Amount, Number, WholeNumber


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (WholeNumber(1), "x", "expected a whole number, 1 or more, not 'x'"),
        (WholeNumber(1), "0", "expected a whole number, 1 or more, not '0'"),
        (WholeNumber(1), "1.5", "expected a whole number, 1 or more, not '1.5'"),
        (WholeNumber(0, 65535), "70000", "expected a whole number from 0 to 65535, not '70000'"),
        (WholeNumber(max=3), "4", "expected a whole number, 3 or less, not '4'"),
        (WholeNumber(), "", "expected a whole number, not ''"),
        (Number(0), "soon", "expected a number, 0 or more, not 'soon'"),
        (Number(min=0.1), "0", "expected a number, 0.1 or more, not '0'"),
        (Amount("4Gi", "512Mi"), "4GB", "expected an amount such as 4Gi or 512Mi, not '4GB'"),
        (Amount("2", "500m"), "-1", "expected an amount such as 2 or 500m, not '-1'"),
        (Number(0), "nan", "expected a number, 0 or more, not 'nan'"),
    ],
)
def test_what_is_expected_is_said(kind: click.ParamType, text: str, said: str) -> None:
    with pytest.raises(click.BadParameter) as refused:
        kind.convert(text, None, None)

    assert refused.value.message == said


def test_numbers_that_fit_are_taken() -> None:
    assert WholeNumber(1).convert("3", None, None) == 3
    assert Number(0).convert("2.5", None, None) == 2.5
    assert Amount("2").convert("500m", None, None) == "500m"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--workers", "x", __file__], "'--workers': expected a whole number, 1 or more, not 'x'"),
        (["up", "--port", "x"], "'--port': expected a whole number from 0 to 65535, not 'x'"),
        (["run", "--name", "Bad_Name", __file__], "'--name': 'Bad_Name': a DNS-1035 label must consist of "),
        (["down", "--timeout", "x"], "'--timeout': expected a number, 0 or more, not 'x'"),
        (["queue", "create", "q", "--weight", "0"], "'--weight': expected a whole number from 1 to 65535, not '0'"),
    ],
)
def test_the_option_is_named(words: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, words)

    assert done.exit_code == 2
    assert f"Invalid value for {said}" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cpu=32", "cpu cannot be set here: cpu, memory and ephemeral-storage are measured on this machine. Only "),
        (
            "nvidia.com/gpu=1,memory=8Gi",
            "memory cannot be set here: cpu, memory and ephemeral-storage are measured on ",
        ),
        ("pods=3", "pods cannot be set here: use --max-pods"),
        ("gpu=1", "expected DOMAIN/NAME=COUNT, such as nvidia.com/gpu=1, not 'gpu=1'"),
        ("nvidia.com/gpu", "expected DOMAIN/NAME=COUNT, such as nvidia.com/gpu=1, not 'nvidia.com/gpu'"),
    ],
)
def test_a_resource_that_cannot_be_added_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(click.BadParameter, match=re.escape(said)):
        RESOURCES.convert(text, None, None)


def test_resources_that_can_be_added_are_taken() -> None:
    assert RESOURCES.convert("nvidia.com/gpu=1,example.com/fast=2", None, None) == "nvidia.com/gpu=1,example.com/fast=2"
