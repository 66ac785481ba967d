# pyright: reportMissingImports=false
"""Replaces the image storage-initializer: fetches a model and a dataset to a volume, for the trainer that follows.

The model comes from the Hugging Face Hub and is stored in `/workspace/model`, a cache of the Hub's client. The dataset
comes from the Hub or from an object store and is stored in `/workspace/dataset`, as `datasets` saves one to disk. Only
the files that PyTorch needs are fetched, and the model is not loaded: that takes neither PyTorch nor its memory.
"""

import argparse
import glob
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

WORKSPACE = Path("/workspace")
WEIGHTS = (r"(adapter_)?model(-\d+-of-\d+)?\.safetensors", r"(pytorch|adapter)_model(-\d+-of-\d+)?\.bin")
"""Weight files that PyTorch reads, the preferred format first."""
HEAVY = re.compile(r".*\.(safetensors|bin|h5|msgpack|ot|onnx|onnx_data|gguf|ggml|pt|pth|ckpt|tflite|mlmodel|zip|gz)")


class BadParameters(ValueError):
    """Parameters that cannot be satisfied."""


@dataclass
class HubModel:
    model_uri: str
    transformer_type: str = ""
    access_token: str | None = None
    num_labels: int | None = None

    def fetch(self, folder: Path) -> None:
        name = repository(self.model_uri)
        from huggingface_hub import HfApi, snapshot_download

        say(f"fetching model {name}")
        files = [glob.escape(file) for file in needed(HfApi().list_repo_files(name, token=self.access_token))]
        snapshot_download(name, cache_dir=folder, token=self.access_token, allow_patterns=files)


@dataclass
class HubDataset:
    repo_id: str
    access_token: str | None = None
    split: str | None = None

    def fetch(self, folder: Path) -> None:
        from datasets import load_dataset

        say(f"fetching dataset {self.repo_id}, {self.split or 'all splits'}")
        load_dataset(self.repo_id, split=self.split, token=self.access_token).save_to_disk(folder)


@dataclass
class StoredDataset:
    endpoint_url: str
    bucket_name: str
    file_key: str
    region_name: str | None = None
    access_key: str | None = None
    secret_key: str | None = None

    def fetch(self, folder: Path) -> None:
        import boto3
        from botocore.exceptions import BotoCoreError, ClientError

        say(f"fetching dataset {self.file_key} of bucket {self.bucket_name}")
        found = False
        try:
            session = boto3.Session(self.access_key, self.secret_key, region_name=self.region_name)
            bucket = session.resource("s3", endpoint_url=self.endpoint_url).Bucket(self.bucket_name)
            for each in bucket.objects.filter(Prefix=self.file_key):
                if (path := place(each.key)) is not None:
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    bucket.download_file(each.key, str(folder / path))
                    found = True
        except (BotoCoreError, ClientError) as error:
            raise OSError(f"{self.endpoint_url}: {error}") from error
        if not found:
            raise BadParameters(f"bucket {self.bucket_name} has no object whose key begins with {self.file_key!r}")


PROVIDERS = {"model": {"hf": HubModel}, "dataset": {"hf": HubDataset, "s3": StoredDataset}}


def read(argv: list[str]) -> dict[str, Any]:
    """Parse the `model` and the `dataset` to fetch. Raises BadParameters, or exits if an argument is missing."""
    parser = argparse.ArgumentParser(prog="storage-initializer", allow_abbrev=False)
    for what, kinds in PROVIDERS.items():
        parser.add_argument(f"--{what}_provider", choices=kinds, required=True)
        parser.add_argument(f"--{what}_provider_parameters", required=True, metavar="JSON")
    given = vars(parser.parse_args(argv))
    return {
        what: filled(
            kinds[given[f"{what}_provider"]], given[f"{what}_provider_parameters"], f"--{what}_provider_parameters"
        )
        for what, kinds in PROVIDERS.items()
    }


def filled(kind: type[Any], text: str, flag: str) -> Any:
    try:
        values = json.loads(text)
    except ValueError as error:
        raise BadParameters(f"{flag}: this is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise BadParameters(f"{flag}: this is not an object")
    known = {field.name: field.default is MISSING for field in fields(kind)}
    if unknown := sorted(values.keys() - known):
        raise BadParameters(f"{flag}: unknown: {', '.join(unknown)}; known are {', '.join(known)}")
    if lacking := [name for name, is_needed in known.items() if is_needed and not values.get(name)]:
        raise BadParameters(f"{flag}: {', '.join(lacking)} must be set")
    return kind(**values)


def repository(uri: str) -> str:
    """Return `org/name` of `hf://org/name`."""
    parts = urlsplit(uri)
    if parts.scheme not in ("", "hf"):
        raise BadParameters(f"--model_provider_parameters: model_uri {uri!r} is not of the form hf://ORGANIZATION/NAME")
    return f"{parts.netloc}{parts.path}".strip("/")


def needed(files: Iterable[str]) -> list[str]:
    """Select the weights in one format and all light files: settings, tokenizer, code.

    Subfolders hold other formats.
    """
    names = [name for name in files if "/" not in name or name.endswith((".py", ".jinja"))]
    forms = ([name for name in names if re.fullmatch(form, name)] for form in WEIGHTS)
    return [name for name in names if not HEAVY.fullmatch(name)] + next(filter(None, forms), [])


def place(key: str) -> PurePosixPath | None:
    """Return the path of an object in the dataset's folder: its key without the first part.

    None for a folder marker.
    """
    parts = key.split("/")
    if ".." in parts:
        raise BadParameters(f"the object {key!r} would not be in the dataset's folder")
    return PurePosixPath(*(parts[1:] or parts)) if parts[-1] else None


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main(argv: list[str], workspace: Path = WORKSPACE) -> int:
    try:
        for folder, wanted in read(argv).items():
            wanted.fetch(workspace / folder)
    except (OSError, ValueError) as error:
        say(f"error: {error}")
        return 1
    say("download complete")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
