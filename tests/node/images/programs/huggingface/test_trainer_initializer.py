"""What stands for the images dataset-initializer and model-initializer: what is fetched, from where, and where to."""

import pytest

from windlass.node.images.programs.huggingface.trainer_initializer import (
    OTHER_WEIGHTS,
    BadSettings,
    InStore,
    OnHub,
    main,
    place,
    read,
)

STORE = {
    "ENDPOINT": "http://minio:9000",
    "REGION": "here",
    "ACCESS_KEY_ID": "me",
    "SECRET_ACCESS_KEY": "secret",
    "ROLE_ARN": "arn:role",
}


@pytest.mark.parametrize(
    ("what", "environment", "wanted"),
    [
        ("model", {"STORAGE_URI": "hf://org/name"}, OnHub("model", "org/name", None, OTHER_WEIGHTS)),
        ("model", {"STORAGE_URI": "hf://gpt2"}, OnHub("model", "gpt2", None, OTHER_WEIGHTS)),
        (
            "model",
            {"STORAGE_URI": "hf://org/name", "IGNORE_PATTERNS": "*.h5, *.ot,", "ACCESS_TOKEN": "hf_1"},
            OnHub("model", "org/name", "hf_1", ("*.h5", "*.ot")),
        ),
        ("model", {"STORAGE_URI": "hf://org/name", "IGNORE_PATTERNS": ""}, OnHub("model", "org/name", None, ())),
        ("dataset", {"STORAGE_URI": "hf://org/rows/data/train.parquet"}, OnHub("dataset", "org/rows", None, ())),
        ("dataset", {"STORAGE_URI": "s3://bucket/rows/"}, InStore("dataset", "bucket", "rows", ())),
        (
            "model",
            {"STORAGE_URI": "s3://bucket", **STORE},
            InStore("model", "bucket", "", OTHER_WEIGHTS, "http://minio:9000", "here", "me", "secret", "arn:role"),
        ),
    ],
)
def test_what_to_fetch_is_read_from_the_environment(
    what: str, environment: dict[str, str], wanted: OnHub | InStore
) -> None:
    assert read(what, environment) == wanted


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "STORAGE_URI must be set"),
        ({"STORAGE_URI": "cache://schema/table"}, "STORAGE_URI: 'cache://schema/table' is neither hf://"),
        ({"STORAGE_URI": "org/name"}, "STORAGE_URI: 'org/name' is neither hf://"),
    ],
)
def test_what_cannot_be_fetched_is_refused_by_name(
    environment: dict[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("dataset", environment) == 1

    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "prefix", "where"),
    [
        ("rows/train/1.parquet", "rows", "train/1.parquet"),
        ("rows/one.csv", "rows/one.csv", "one.csv"),
        ("one.csv", "", "one.csv"),
        ("rows/", "rows", None),
        ("rows-of-others/1.csv", "rows", None),
        ("rows/weights.bin", "rows", None),
    ],
)
def test_an_object_lies_below_what_was_asked_for(key: str, prefix: str, where: str | None) -> None:
    found = place(key, prefix, ["*.bin"])

    assert (None if found is None else str(found)) == where


def test_an_object_that_would_lie_elsewhere_is_refused() -> None:
    with pytest.raises(BadSettings, match=r"rows/\.\./\.\./passwd"):
        place("rows/../../passwd", "rows", [])
