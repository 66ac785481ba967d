"""The annotation names packages of an index, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.pod_packages import MAX_LENGTH, PodPackages, format_packages, is_requirement, parse_packages


def test_requirements_are_lines_and_some_go_without_dependencies() -> None:
    packages = parse_packages("six\n  pandas[all]>=2, <3 \n\n--no-deps\nkfp==2.17.0\nsix\n")

    assert packages == PodPackages(whole=("six", "pandas[all]>=2, <3"), alone=("kfp==2.17.0", "six"))
    assert format_packages(packages) == "six\npandas[all]>=2, <3\n--no-deps\nkfp==2.17.0\nsix"
    assert parse_packages(format_packages(packages)) == packages


def test_nothing_is_no_packages() -> None:
    assert not parse_packages("\n --no-deps\n")
    assert format_packages(PodPackages()) == ""


@pytest.mark.parametrize(
    "line",
    ["a", "a-b.c_d", "a==1.0", "a == 1.0.*", "a~=1.0,!=1.1", "a[b,c]>=1", 'a<5; python_version<"3.9"', "a===1+local"],
)
def test_a_requirement_has_a_name_extras_versions_and_a_marker(line: str) -> None:
    assert is_requirement(line)


@pytest.mark.parametrize(
    "line",
    [
        "-r x",
        "--index-url=https://e.x",
        "--pre",
        "-e .",
        ".",
        "./a",
        "/a",
        "a/b",
        "a.whl/../b",
        "https://e.x/a.whl",
        "git+https://e.x/a.git",
        "a @ https://e.x/a.whl",
        "a@https://e.x",
        "file:///a",
        "a --pre",
        "a==1 --hash=sha256:0",
        "a; $(x)",
        "$A",
        "${A}",
        "a\\b",
        "a b",
    ],
)
def test_paths_urls_and_options_are_refused(line: str) -> None:
    assert not is_requirement(line)
    with pytest.raises(ValueError, match="is not a requirement"):
        parse_packages(f"six\n{line}")


def test_the_value_is_bounded() -> None:
    with pytest.raises(ValueError, match="more than 8192 characters"):
        parse_packages("a\n" * MAX_LENGTH)


@given(st.text())
def test_any_text_gives_requirements_or_a_reason(text: str) -> None:
    try:
        packages = parse_packages(text)
    except ValueError:
        return
    assert all(is_requirement(one) and not one.startswith("-") for one in (*packages.whole, *packages.alone))
