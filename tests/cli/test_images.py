"""`windlass images` maps, shows and removes."""

import asyncio
import json
from pathlib import Path

import yaml
from click.testing import CliRunner, Result

from tests.node.oci.builders import entry, layer, write_layout
from windlass.cli.images import table_of
from windlass.cli.main import cli
from windlass.node.images.reference import parse
from windlass.node.oci.credentials import Keyring
from windlass.node.oci.images import OciImages


def windlass(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["images", arguments[0], "--data-dir", str(data), *arguments[1:]])


def rules(data: Path) -> list[dict[str, object]]:
    return yaml.safe_load((data / "images.yaml").read_text())["images"]


def test_add_writes_a_rule_and_says_what_will_be_built(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("# ours\nnumpy>=1  # arrays\n\npandas\n")

    done = windlass(
        tmp_path, "add", "me/app:1", "--python", "3.11", "--package", "six", "--requirements", str(requirements),
        "--entrypoint", "python3 -m 'my app'", "--env", "A=b=c", "--workdir", "/w", "--user", "7",
    )  # fmt: skip

    assert done.exit_code == 0, done.output
    assert "Python 3.11 with six, numpy>=1, pandas will be built" in done.output
    assert rules(tmp_path) == [
        {
            "image": "me/app:1",
            "python": "3.11",
            "packages": ["six", "numpy>=1", "pandas"],
            "entrypoint": ["python3", "-m", "my app"],
            "env": {"A": "b=c"},
            "workdir": "/w",
            "user": 7,
        }
    ]


def test_what_cannot_be_mapped_is_refused_in_one_line(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("-r other.txt\n")

    for arguments, said in (
        (("a", "--python", "three"), "not a version of Python"),
        (("a", "--path", str(tmp_path), "--python", "3.11"), "existing environment"),
        (("a", "--env", "A"), "NAME=VALUE"),
        (("a", "--requirements", str(requirements)), "-r is not supported here"),
    ):
        done = windlass(tmp_path, "add", *arguments)
        assert done.exit_code != 0
        assert said in done.output
    assert not (tmp_path / "images.yaml").exists()


def test_a_built_image_is_listed_and_pruned(tmp_path: Path) -> None:
    assert "No environments have been built yet" in windlass(tmp_path, "list").output

    assert windlass(tmp_path, "add", "me/app", "--python", "3", "--build").exit_code == 0
    text = windlass(tmp_path, "list").output
    listed = json.loads(windlass(tmp_path, "list", "-o", "json").output)
    young = windlass(tmp_path, "prune")
    all_ = json.loads(windlass(tmp_path, "prune", "--all", "-o", "json").output)

    assert "me/app:latest" in text
    assert listed["environments"][0]["images"] == ["me/app:latest"]
    assert listed["environments"][0]["sizeBytes"] > 0
    assert listed["mapped"][0]["image"] == "me/app"
    assert "0 removed, 1 kept" in young.output
    assert len(all_["removed"]) == 1
    assert yaml.safe_load(windlass(tmp_path, "list", "-o", "yaml").output)["environments"] == []


def test_an_image_of_a_volume_is_listed_and_pruned(tmp_path: Path) -> None:
    write_layout(tmp_path / "layout", "1", [layer(entry("models/weights", b"1" * 100))])
    (tmp_path / "images.yaml").write_text(json.dumps({"layouts": {"me/model": str(tmp_path / "layout")}}))
    pulled = asyncio.run(OciImages(tmp_path).pull(parse("me/model:1"), Keyring(), lambda line: None))

    text = windlass(tmp_path, "list").output
    listed = json.loads(windlass(tmp_path, "list", "-o", "json").output)["volumes"]
    young = json.loads(windlass(tmp_path, "prune", "-o", "json").output)
    old = json.loads(windlass(tmp_path, "prune", "--all", "-o", "json").output)

    assert f"volume: {pulled.digest[:19]}  100 B" in text
    assert [(one["digest"], one["sizeBytes"]) for one in listed] == [(pulled.digest, 100)]
    assert young["removedVolumes"] == []
    assert [one["digest"] for one in old["removedVolumes"]] == [pulled.digest]
    assert not Path(pulled.folder).exists()


def test_a_long_name_of_an_image_breaks_no_column() -> None:
    built = [
        {"environment": "py3.11-0a1b2c3d", "images": ["a:1", "registry.example.com/" + "x" * 70 + ":1"]},
        {"environment": "py3", "images": []},
    ]
    facts = {"python": "3.11.9", "sizeBytes": 12_000_000, "lastUsed": "2026-01-01T00:00:00Z"}
    lines = table_of([one | facts for one in built], now=1767225600.0 + 90)

    assert lines[0].split() == ["ENVIRONMENT", "PYTHON", "SIZE", "LAST", "USED", "IMAGE"]
    assert [line[lines[0].index("IMAGE") :] for line in lines[1:]] == [*built[0]["images"], "-"]
    assert lines[1].split() == ["py3.11-0a1b2c3d", "3.11.9", "12", "MB", "90s", "ago", "a:1"]


def test_an_age_is_a_number_with_a_unit(tmp_path: Path) -> None:
    assert "not an age" in windlass(tmp_path, "prune", "--older-than", "old").output
    assert windlass(tmp_path, "prune", "--older-than", "12h").exit_code == 0


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "images.yaml").write_text("images: 7")

    done = windlass(tmp_path, "list")

    assert done.exit_code == 1
    assert "images.yaml" in done.output
