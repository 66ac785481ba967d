"""Small images in the OCI's format: layers, manifests, layouts."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def entry(name: str, content: bytes = b"", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    """A file, unless `type` says otherwise."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o644
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def folder(name: str, mode: int = 0o755) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.DIRTYPE, mode=mode)


def link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.SYMTYPE, linkname=target)


def hard_link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.LNKTYPE, linkname=target)


def tar(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for info, content in entries:
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def layer(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    return gzip.compress(tar(*entries), mtime=0)


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def described(content: bytes, media_type: str, **more: Any) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest(content), "size": len(content), **more}


def manifest(layers: Sequence[bytes], config: bytes = b"{}") -> bytes:
    return json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": described(config, "application/vnd.oci.image.config.v1+json"),
            "layers": [described(one, LAYER) for one in layers],
        }
    ).encode()


def index(*manifests: dict[str, Any]) -> bytes:
    return json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": list(manifests)}).encode()


def write_layout(folder: Path, tag: str, layers: Sequence[bytes]) -> None:
    """Write an image layout of one image."""
    blobs = folder / "blobs" / "sha256"
    blobs.mkdir(parents=True)
    content = manifest(layers)
    for blob in (content, b"{}", *layers):
        (blobs / digest(blob).partition(":")[2]).write_bytes(blob)
    annotations = {"org.opencontainers.image.ref.name": tag}
    (folder / "index.json").write_bytes(index(described(content, MANIFEST, annotations=annotations)))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
