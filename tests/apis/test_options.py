"""An option of an app comes from a flag, from a variable or from the platform; else its default holds."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest

from windlass.apis.options import BadOption, Option, WithOptions, declared, minutes, read, words


@dataclass(frozen=True, kw_only=True)
class Options:
    name: Annotated[str, Option("Its name.", "NAME", embedded=lambda data: f"{data}/name")] = "default"
    threads: Annotated[int, Option("How many.", flag="threads")] = 4
    hosts: Annotated[tuple[str, ...], Option("Where.", "HOSTS", words)] = ()
    proxies: Annotated[dict[str, str], Option("Through what.", variables=("A", "B"))] = field(
        default_factory=dict[str, str]
    )
    made_by_the_app: int = 1


def test_options_are_declared_in_the_order_of_the_fields() -> None:
    found = [(each.name, each.type, each.default) for each in declared(Options)][:2]

    assert found == [("name", str, "default"), ("threads", int, 4)]
    assert "made_by_the_app" not in {each.name for each in declared(Options)}


def test_an_option_that_nothing_sets_has_its_default() -> None:
    assert read(Options, {"NAME": "", "A": ""}, flags={}) == Options()


def test_the_environment_overrides_the_default_of_the_embedded_platform() -> None:
    data = Path("/data")

    assert read(Options, {}, flags={}, data_dir=data).name == "/data/name"
    assert read(Options, {"NAME": "given"}, flags={}, data_dir=data).name == "given"


def test_flags_and_variables_are_the_values_of_their_fields() -> None:
    environment = {"HOSTS": "a, b", "B": "proxy", "C": "other"}

    assert read(Options, environment, flags={"threads": 7}) == Options(
        threads=7, hosts=("a", "b"), proxies={"B": "proxy"}
    )


def test_a_value_that_cannot_be_converted_is_named_with_its_variable() -> None:
    @dataclass(frozen=True)
    class Timed:
        time: Annotated[object, Option("How long.", "TIME", minutes)] = None

    with pytest.raises(BadOption, match=r"^TIME: 'soon' is not a number of minutes$"):
        read(Timed, {"TIME": "soon"}, flags={})


def test_a_context_has_the_options_of_every_app() -> None:
    given = Options(threads=7)

    assert WithOptions(options=("other", given)).options_of(Options) is given
    assert WithOptions().options_of(Options) == Options()
