# pyright: reportMissingImports=false
"""Replaces the images dataset-initializer and model-initializer: fetches what a TrainJob names to a shared volume.

The folder that it is installed in selects which of the two it is. The environment says what to fetch, as the TrainJob's
`initializer` does: STORAGE_URI, which begins with `hf://` or `s3://`, and the Hub's or the store's options. The result
is in `/workspace/dataset` or `/workspace/model`, where trainers expect it.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

WORKSPACE = Path("/workspace")
MODEL_FILES = ("*.json", "*.safetensors", "*.model", "*.txt")
"""Files of a model on the Hub: its settings, its tokenizer, and its weights in the format that is safe to load."""
OTHER_WEIGHTS = ("*.msgpack", "*.h5", "*.bin", "*.pt", "*.pth")
"""Files of a model that are skipped unless IGNORE_PATTERNS says otherwise."""


class BadSettings(ValueError):
    """Settings that cannot be satisfied."""


@dataclass(frozen=True)
class OnHub:
    """A repository of the Hugging Face Hub."""

    what: str
    repository: str
    token: str | None
    ignored: tuple[str, ...]

    def fetch(self, folder: Path) -> None:
        from huggingface_hub import snapshot_download

        say(f"fetching {self.what} {self.repository}")
        snapshot_download(
            self.repository,
            repo_type=self.what,
            local_dir=folder,
            token=self.token,
            allow_patterns=list(MODEL_FILES) if self.what == "model" else None,
            ignore_patterns=list(self.ignored) or None,
        )


@dataclass(frozen=True)
class InStore:
    """All objects of a bucket with a key prefix, or the one with that key."""

    what: str
    bucket: str
    prefix: str
    ignored: tuple[str, ...]
    endpoint: str | None = None
    region: str | None = None
    access_key: str | None = None
    secret_key: str | None = None
    role: str | None = None

    def fetch(self, folder: Path) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        say(f"fetching {self.what} {self.prefix or 'all objects'} of bucket {self.bucket}")
        try:
            bucket = self._session().resource("s3", endpoint_url=self.endpoint).Bucket(self.bucket)
            keys = [each.key for each in bucket.objects.filter(Prefix=self.prefix)]
            places = {key: path for key in keys if (path := place(key, self.prefix, self.ignored)) is not None}
            for key, path in places.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                bucket.download_file(key, str(folder / path))
        except (BotoCoreError, ClientError) as error:
            raise OSError(f"{self.endpoint or 'S3'}: {error}") from error
        if not places:
            raise BadSettings(f"STORAGE_URI: bucket {self.bucket} has nothing to fetch at {self.prefix!r}")

    def _session(self) -> Any:
        import boto3

        session = boto3.Session(self.access_key, self.secret_key, region_name=self.region)
        if self.role is None:
            return session
        lent = session.client("sts").assume_role(RoleArn=self.role, RoleSessionName="initializer")["Credentials"]
        return boto3.Session(
            lent["AccessKeyId"], lent["SecretAccessKey"], lent["SessionToken"], region_name=self.region
        )


def read(what: str, environ: Mapping[str, str]) -> OnHub | InStore:
    """Parse what to fetch from the environment. Raises BadSettings."""
    uri = environ.get("STORAGE_URI", "")
    if not uri:
        raise BadSettings("STORAGE_URI must be set")
    parts = urlsplit(uri)
    path = parts.path.strip("/")
    given = environ.get("IGNORE_PATTERNS")
    ignored = words(given) if given is not None else (OTHER_WEIGHTS if what == "model" else ())
    if parts.scheme == "hf":
        name = "/".join([parts.netloc, *path.split("/")[:1]]).rstrip("/")
        return OnHub(what, name, environ.get("ACCESS_TOKEN") or None, ignored)
    if parts.scheme == "s3":
        names = ("ENDPOINT", "REGION", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "ROLE_ARN")
        return InStore(what, parts.netloc, path, ignored, *(environ.get(name) or None for name in names))
    raise BadSettings(f"STORAGE_URI: {uri!r} is neither hf://ORGANIZATION/NAME nor s3://BUCKET/PATH")


def place(key: str, prefix: str, ignored: Iterable[str]) -> PurePosixPath | None:
    """Return the path of an object in the folder; None if it is ignored, is outside the prefix, or marks a folder."""
    if prefix and key != prefix and not key.startswith(f"{prefix}/"):
        return None
    if key.endswith("/") or any(fnmatch(key, pattern) for pattern in ignored):
        return None
    below = key[len(prefix) :].lstrip("/") or key.rpartition("/")[2]
    if ".." in below.split("/"):
        raise BadSettings(f"the object {key!r} would not be in the folder")
    return PurePosixPath(below)


def words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main(what: str, environ: Mapping[str, str], workspace: Path = WORKSPACE) -> int:
    try:
        read(what, environ).fetch(workspace / what)
    except (OSError, ValueError) as error:
        say(f"error: {error}")
        return 1
    say("download complete")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.name, os.environ))
