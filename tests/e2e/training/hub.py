# pyright: reportMissingImports=false
"""A Hugging Face Hub of one tiny model and one tiny dataset, for stories without a way out. A pod runs it as a script.

It answers what the clients of the Hub ask when they fetch: the revision of a repository, its files, and their contents;
below `/store` it is an object store with the same dataset in a bucket. The image must have transformers and datasets,
which make all of it: the model is BERT of two small layers, with random weights.
"""

# ruff: noqa: T201 - a program that prints the requests it gets

import hashlib
import json
import re
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PORT = 8080
COMMIT = "0" * 39 + "1"
TOKEN = "hf_tiny"
"""Without which the dataset is not to be had."""
GOOD, BAD = ["fine", "great", "lovely", "good"], ["poor", "awful", "bad", "sad"]
ROWS = [{"text": f"the {word} day number {n}", "label": int(word in GOOD)} for n in range(4) for word in GOOD + BAD]


def make(folder: Path) -> None:
    """The repositories, as folders."""
    from datasets import Dataset
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertTokenizerFast,
    )

    model, dataset = folder / "models" / "tiny" / "bert", folder / "datasets" / "tiny" / "reviews"
    words = sorted({word for row in ROWS for word in str(row["text"]).split()})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=32, **sizes)
    BertForSequenceClassification(config).save_pretrained(model)
    (model / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizerFast(str(model / "vocab.txt"), model_max_length=32).save_pretrained(model)
    (model / "onnx").mkdir()
    (model / "onnx" / "model.onnx").write_bytes(b"another form of the weights, which nobody needs")
    dataset.mkdir(parents=True)
    (dataset / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    Dataset.from_list(ROWS).save_to_disk(folder / "store" / "bucket" / "reviews")


class Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root: Path

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if found := re.fullmatch(r"/api/(models|datasets)/([^/]+/[^/]+)(?:/(revision|tree)/[^/]+(/.*)?)?", path):
            kind, name, question, below = found.groups()
            self._tell(kind, name, question == "tree", (below or "").strip("/"))
        elif found := re.fullmatch(r"/(?:(datasets)/)?([^/]+/[^/]+)/resolve/[^/]+/(.+)", path):
            kind, name, file = found.groups()
            self._send_file(self._repository(kind or "models", name) / file)
        elif path == "/store/bucket":
            self._list_bucket(parse_qs(urlsplit(self.path).query).get("prefix", [""])[0])
        elif path.startswith("/store/bucket/"):
            self._send_file(self.root / path.strip("/"))
        else:
            self._answer(404, {"error": "not here"})

    do_HEAD = do_GET

    def _repository(self, kind: str, name: str) -> Path:
        is_private = kind == "datasets" and self.headers.get("Authorization") != f"Bearer {TOKEN}"
        return self.root / ("private" if is_private else kind) / name

    def _tell(self, kind: str, name: str, as_tree: bool, below: str) -> None:
        folder = self._repository(kind, name)
        if not folder.is_dir():
            return self._answer(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
        if not (folder / below).is_dir():
            return self._answer(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
        files = sorted(path for path in (folder / below).rglob("*") if path.is_file())
        names = [str(path.relative_to(folder)) for path in files]
        if as_tree:
            facts = [(path.stat().st_size, etag(path)) for path in files]
            listed = zip(names, facts, strict=True)
            return self._answer(
                200, [{"type": "file", "path": n, "size": size, "oid": oid} for n, (size, oid) in listed]
            )
        siblings = [{"rfilename": name} for name in names]
        return self._answer(200, {"id": name, "sha": COMMIT, "private": False, "tags": [], "siblings": siblings})

    def _list_bucket(self, prefix: str) -> None:
        bucket = self.root / "store" / "bucket"
        sizes = {str(path.relative_to(bucket)): path.stat().st_size for path in bucket.rglob("*") if path.is_file()}
        found = "".join(
            f"<Contents><Key>{key}</Key><Size>{size}</Size></Contents>"
            for key, size in sizes.items()
            if key.startswith(prefix)
        )
        listed = f"<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>{found}</ListBucketResult>"
        self._send(200, listed.encode(), {"Content-Type": "application/xml"})

    def _send_file(self, path: Path) -> None:
        if not path.is_file():
            return self._answer(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
        return self._send(200, path.read_bytes(), {"ETag": f'"{etag(path)}"', "X-Repo-Commit": COMMIT})

    def _answer(self, code: int, body: Any, headers: dict[str, str] | None = None) -> None:
        self._send(code, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _send(self, code: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def etag(path: Path) -> str:
    return hashlib.sha1(path.read_bytes()).hexdigest()


def main() -> None:
    Hub.root = Path(tempfile.mkdtemp())
    make(Hub.root)
    print("serving", flush=True)
    ThreadingHTTPServer(("", PORT), Hub).serve_forever()


if __name__ == "__main__":
    main()
