"""What stands for the image storage-initializer: which files, from where, and where to."""

import json
from typing import Any

import pytest

from windlass.node.images.programs.huggingface.storage_initializer import (
    BadParameters,
    HubDataset,
    HubModel,
    StoredDataset,
    main,
    needed,
    place,
    read,
    repository,
)

MODEL = {"model_uri": "hf://org/name", "transformer_type": "AutoModelForCausalLM", "access_token": None}
DATASET = {"repo_id": "org/rows", "split": "train[:10]"}
STORE = {"endpoint_url": "http://minio:9000", "bucket_name": "data", "file_key": "rows"}


def argv(model: Any = MODEL, dataset: Any = DATASET, provider: str = "hf") -> list[str]:
    words = ["--model_provider", "hf", "--model_provider_parameters", json.dumps(model)]
    return [*words, "--dataset_provider", provider, "--dataset_provider_parameters", json.dumps(dataset)]


def test_model_and_dataset_are_read_from_what_the_client_sends() -> None:
    assert read(argv()) == {
        "model": HubModel("hf://org/name", "AutoModelForCausalLM"),
        "dataset": HubDataset("org/rows", split="train[:10]"),
    }
    assert read(argv(dataset=STORE, provider="s3"))["dataset"] == StoredDataset("http://minio:9000", "data", "rows")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (argv(model=[]), "--model_provider_parameters: this is not an object"),
        (argv(model={**MODEL, "model_uri": ""}), "--model_provider_parameters: model_uri must be set"),
        (
            argv(model={**MODEL, "revision": "v1"}),
            "--model_provider_parameters: unknown: revision; known are model_uri,",
        ),
        (argv(dataset=STORE), "--dataset_provider_parameters: unknown: bucket_name, endpoint_url, file_key"),
        (argv(dataset={"bucket_name": "b"}, provider="s3"), "endpoint_url, file_key must be set"),
        ([*argv()[:3], "{", *argv()[4:]], "--model_provider_parameters: this is not JSON"),
        (argv(model={**MODEL, "model_uri": "s3://bucket/model"}), "model_uri 's3://bucket/model' is not of the form"),
    ],
)
def test_what_cannot_be_fetched_is_refused_by_name(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1

    assert said in capsys.readouterr().err


def test_a_provider_that_nobody_knows_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read(argv(provider="gcs"))

    assert "argument --dataset_provider: invalid choice: 'gcs'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("uri", "name"),
    [("hf://org/Name", "org/Name"), ("hf://gpt2", "gpt2"), ("hf://org/name/", "org/name"), ("a/b", "a/b")],
)
def test_a_model_is_named_by_its_uri(uri: str, name: str) -> None:
    assert repository(uri) == name


LIGHT = ["config.json", "tokenizer.json", "vocab.txt", "spiece.model", "modeling_own.py", "parts/layers.py"]


@pytest.mark.parametrize(
    ("weights", "others"),
    [
        (["model.safetensors"], ["pytorch_model.bin", "tf_model.h5", "flax_model.msgpack", "onnx/model.onnx"]),
        (
            ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"],
            ["consolidated.safetensors", "original/consolidated.00.pth", "model.fp16.safetensors"],
        ),
        (["pytorch_model.bin"], ["training_args.bin", "rust_model.ot", "onnx/config.json"]),
        ([], ["name.Q4_K_M.gguf"]),
    ],
)
def test_of_a_model_only_what_pytorch_reads_is_fetched(weights: list[str], others: list[str]) -> None:
    assert needed([*others, *LIGHT, *weights]) == [*LIGHT, *weights]


@pytest.mark.parametrize(
    ("key", "where"),
    [
        ("rows/state.json", "state.json"),
        ("rows/train/a.arrow", "train/a.arrow"),
        ("a.arrow", "a.arrow"),
        ("rows/", None),
    ],
)
def test_an_object_lies_in_the_datasets_folder_without_the_first_part_of_its_key(key: str, where: str | None) -> None:
    assert (place(key) and str(place(key))) == where


def test_an_object_cannot_leave_the_datasets_folder() -> None:
    with pytest.raises(BadParameters, match="would not be in the dataset's folder"):
        place("rows/../../etc/passwd")
