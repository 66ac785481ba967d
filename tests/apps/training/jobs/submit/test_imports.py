"""Imports that a script cannot do without, and that neither Python nor its folder has."""

from pathlib import Path

import pytest

from windlass.apps.training.jobs.submit.imports import third_party


def write(folder: Path, **files: str) -> Path:
    """Files by name, `a__b` for a/b; `script` is the script."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "script.py"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os, sys, tomllib, distutils.core", set()),
        ("import numpy", {"numpy"}),
        ("import numpy as np, os.path", {"numpy"}),
        ("from google.cloud import storage, bigquery", {"google.cloud.storage", "google.cloud.bigquery"}),
        ("from numpy import *", {"numpy"}),
        ("def f():\n    import pandas", {"pandas"}),
        ("if True:\n    import pandas\nelse:\n    import polars", {"pandas", "polars"}),
        ("try:\n    import ujson as json\nexcept ImportError:\n    import json", set()),
        ("try:\n    import a\nexcept (ValueError, ModuleNotFoundError):\n    a = None", set()),
        ("try:\n    import a\nexcept:\n    a = None", set()),
        ("try:\n    import a\nexcept ValueError:\n    pass", {"a"}),
        ("try:\n    import a\nexcept ImportError as e:\n    raise SystemExit('pip install a') from e", {"a"}),
        ("import sys\ntry:\n    import a\nexcept ImportError:\n    sys.exit(1)", {"a"}),
        ("try:\n    pass\nexcept ImportError:\n    pass\nfinally:\n    import a", {"a"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nelse:\n    import b", {"b"}),
        ("import typing as t\nif t.TYPE_CHECKING:\n    import a", set()),
        ("from __future__ import annotations\nimport __main__", set()),
        ("from . import beside", set()),
        ("this is not Python", set()),
    ],
)
def test_what_a_script_needs(tmp_path: Path, source: str, found: set[str]) -> None:
    top = {
        name if "google" in name else name.partition(".")[0]
        for name in third_party(write(tmp_path, script=source), tmp_path)
    }

    assert top == found


def test_modules_of_its_own_are_followed_and_not_needed_themselves(tmp_path: Path) -> None:
    script = write(
        tmp_path,
        script="import helper\nfrom lib import model\nfrom lib.data.load import rows",
        helper="import yaml",
        lib____init__="",
        lib__model="from .layers import dense\nfrom . import script",
        lib__layers="import scipy.special",
        lib__data__load="import pandas",
        unused="import polars",
    )

    assert third_party(script, tmp_path) == {"yaml", "scipy.special", "pandas"}


def test_what_only_an_optional_module_imports_is_optional(tmp_path: Path) -> None:
    script = write(tmp_path, script="try:\n    import fast\nexcept ImportError:\n    fast = None", fast="import numba")

    assert third_party(script, tmp_path) == set()
    write(tmp_path, script="try:\n    import fast\nexcept ImportError:\n    pass\nimport other", other="import fast")
    assert third_party(script, tmp_path) == {"numba"}


def test_a_folder_of_data_is_no_module(tmp_path: Path) -> None:
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "rows.csv").write_text("1")

    assert third_party(write(tmp_path, script="import datasets"), tmp_path) == {"datasets"}


def test_a_script_in_a_folder_below_finds_modules_of_both(tmp_path: Path) -> None:
    write(tmp_path, shared="import rich", jobs__script="import shared, near", jobs__near="import attr")

    assert third_party(tmp_path / "jobs" / "script.py", tmp_path) == {"rich", "attr"}
