"""Modules and metadata become packages."""

import pytest

from windlass.apps.training.jobs.submit.packages import (
    BadMetadata,
    join_names,
    of_pyproject,
    of_script,
    package_of,
    packages_for,
)


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("numpy.linalg", ("numpy", "numpy")),
        ("cv2", ("cv2", "opencv-python-headless")),
        ("sklearn.datasets", ("sklearn", "scikit-learn")),
        ("PIL.Image", ("PIL", "pillow")),
        ("yaml", ("yaml", "pyyaml")),
        ("google.cloud.storage.blob", ("google.cloud.storage", "google-cloud-storage")),
        ("google.protobuf", ("google.protobuf", "protobuf")),
    ],
)
def test_a_module_has_a_package(module: str, package: tuple[str, str]) -> None:
    assert package_of(module) == package


def test_each_is_named_once_and_what_comes_with_the_image_not_at_all() -> None:
    modules = {"torch.nn", "yaml", "PIL.Image", "PIL.ImageDraw", "numpy"}

    assert packages_for(modules, ("torch",)) == (("numpy", "numpy"), ("PIL", "pillow"), ("yaml", "pyyaml"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import numpy", None),
        ('# /// script\n# dependencies = ["rich", "numpy>=2"]\n# ///\nimport rich', ("rich", "numpy>=2")),
        ('#!/usr/bin/env python3\n# /// script\n# requires-python = ">=3.11"\n#\n# dependencies = []\n# ///\n', ()),
        ('# /// script\n# requires-python = ">=3.11"\n# ///', None),
    ],
)
def test_metadata_of_a_script(text: str, found: tuple[str, ...] | None) -> None:
    assert of_script(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[project]\nname = "a"\ndependencies = ["numpy"]', ("numpy",)),
        ('[project]\nname = "a"\ndynamic = ["dependencies"]', None),
        ("[tool.ruff]\nline-length = 120", None),
    ],
)
def test_dependencies_of_a_project(text: str, found: tuple[str, ...] | None) -> None:
    assert of_pyproject(text) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# /// script\n# dependencies = [\n# ///", "the script's metadata cannot be read"),
        ('# /// script\n# dependencies = ["a"]\nimport a', "no line '# ///' ends it"),
        ('# /// script\n# dependencies = ["--index-url x"]\n# ///', "is not a list of packages"),
        ('# /// script\n# dependencies = "a"\n# ///', "is not a list of packages"),
    ],
)
def test_metadata_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadMetadata, match=message):
        of_script(text)


def test_names_in_a_sentence() -> None:
    assert [join_names(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
