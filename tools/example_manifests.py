"""Put the scripts of examples/training into their manifests, where a ConfigMap brings them into the pods.

    python tools/example_manifests.py

So `kubectl apply -f` needs nothing but the manifest, and the script is still a file, for editors and `windlass run`.
"""

import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples" / "training"
DATA = re.compile(r"^data:\n.*?(?=^---$)", re.M | re.S)


def filled(manifest: str, scripts: list[Path]) -> str:
    """The manifest with these scripts as the data of its first document."""
    parts = [f"  {path.name}: |\n{_indented(path.read_text())}" for path in scripts]
    data = "data:\n" + "".join(parts)
    return DATA.sub(lambda _: data, manifest, count=1)


def _indented(text: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))


def main() -> None:
    for manifest in sorted(EXAMPLES.glob("*/job.yaml")):
        manifest.write_text(filled(manifest.read_text(), sorted(manifest.parent.glob("*.py"))))


if __name__ == "__main__":
    main()
