"""uv is told what pip would have known."""

from pathlib import Path

from windlass.node.images.pipconfig import PipConfig, files, read


def test_the_environment_wins_over_files_and_a_later_file_over_an_earlier_one(tmp_path: Path) -> None:
    (tmp_path / ".pip").mkdir()
    (tmp_path / ".pip" / "pip.conf").write_text("[global]\nindex-url = https://old\nfind_links = /a\n  /b\n")
    (tmp_path / ".config" / "pip").mkdir(parents=True)
    (tmp_path / ".config" / "pip" / "pip.conf").write_text(
        "[global]\nindex-url = https://new\n[install]\nno-index = no\nconstraint = /c.txt\n"
    )
    environ = {"HOME": str(tmp_path), "PIP_TRUSTED_HOST": "h1 h2", "PIP_EXTRA_INDEX_URL": "https://x https://y"}

    found = read(environ)

    assert found.index_url == "https://new"
    assert found.find_links == ("/a", "/b")
    assert found.constraints == ("/c.txt",)
    assert found.trusted_hosts == ("h1", "h2")
    assert found.extra_index_urls == ("https://x", "https://y")
    assert not found.no_index


def test_a_configuration_becomes_flags_of_uv() -> None:
    config = PipConfig("https://i", ("https://x",), ("/w",), ("/c",), ("h",), cert="/ca.pem", proxy="http://p")

    assert " ".join(config.flags()) == (
        "--default-index https://i --extra-index-url https://x --index-strategy unsafe-best-match "
        "--find-links /w --constraints /c --allow-insecure-host h"
    )
    assert config.environment()["SSL_CERT_FILE"] == "/ca.pem"
    assert config.environment()["HTTPS_PROXY"] == "http://p"
    assert PipConfig("https://i", ("https://x",), no_index=True).flags() == ["--no-index"]


def test_dev_null_switches_all_files_off() -> None:
    assert files({"PIP_CONFIG_FILE": "/dev/null"}) == []


def test_the_contents_of_a_constraint_are_part_of_an_environments_identity(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_text("six<2")
    before = PipConfig(constraints=(str(path),)).key()
    path.write_text("six<3")

    assert PipConfig(constraints=(str(path),)).key() != before
