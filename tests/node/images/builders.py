"""Small wheels, made on the spot, so that builds need no network."""

import base64
import hashlib
import zipfile
from pathlib import Path

from windlass.node.images.pipconfig import PipConfig


def a_wheel(folder: Path, name: str, version: str = "1.0", size: int = 0, requires: tuple[str, ...] = ()) -> Path:
    """A package of one module, and a program of the same name that prints its version."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    extras = "Provides-Extra: more\n" if any("extra" in one for one in requires) else ""
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    files = {
        f"{name}/__init__.py": f"VERSION = {version!r}\n\ndef main():\n    print(VERSION)\n",
        f"{name}/data.txt": "x" * size,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{extras}{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
    }
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for where, text in files.items():
            wheel.writestr(where, text)
        rows = [f"{where},{_digest(text)},{len(text)}" for where, text in files.items()]
        wheel.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,"]))
    return path


def only(folder: Path) -> PipConfig:
    """Packages come from this folder and from nowhere else."""
    return PipConfig(find_links=(str(folder),), no_index=True)


def _digest(text: str) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
