"""Commands about jobs find their server, their namespace, and the words that lead others there."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from windlass.cli.connection import kubectl_command, namespace_of, windlass_flags
from windlass.cli.main import cli
from windlass.cli.settings import ClusterFlags


def a_kubeconfig(folder: Path) -> Path:
    path = folder / "config"
    contexts = [
        {"name": "mine", "context": {"cluster": "c", "user": "u", "namespace": "team-a"}},
        {"name": "other", "context": {"cluster": "c", "user": "u"}},
    ]
    path.write_text(yaml.safe_dump({"current-context": "mine", "contexts": contexts}))
    return path


def test_the_namespace_is_what_was_told_or_the_contexts_or_default(tmp_path: Path) -> None:
    path = a_kubeconfig(tmp_path)

    assert namespace_of(ClusterFlags(kubeconfig=path), "told") == "told"
    assert namespace_of(ClusterFlags(kubeconfig=path), None) == "team-a"
    assert namespace_of(ClusterFlags(kubeconfig=path, context="other"), None) == "default"
    assert namespace_of(ClusterFlags(data_dir=tmp_path / "none"), None) == "default"


def test_commands_to_type_next_lead_to_the_same_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WINDLASS_DATA_DIR", raising=False)
    path, data = a_kubeconfig(tmp_path), tmp_path / "data"
    monkeypatch.setenv("KUBECONFIG", str(data / "kubeconfig"))

    assert windlass_flags(ClusterFlags(), "default") == ""
    assert windlass_flags(ClusterFlags(data_dir=data), "b") == f" -n b --data-dir {data}"
    assert windlass_flags(ClusterFlags(kubeconfig=path), "team-a") == f" --kubeconfig {path}"
    assert kubectl_command(ClusterFlags(data_dir=data), "default") == "kubectl"
    assert kubectl_command(ClusterFlags(kubeconfig=path), "b") == f"kubectl --kubeconfig {path} -n b"


@pytest.mark.parametrize("command", [["jobs"], ["logs", "job/a"]])
def test_where_no_windlass_runs_that_is_said_with_the_way_to_start_one(command: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, [*command, "--data-dir", str(tmp_path)])

    assert done.exit_code == 1
    assert "windlass up --detach" in done.stderr


def test_a_kubeconfig_that_leads_nowhere_is_a_failure_in_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["jobs", "--kubeconfig", str(a_kubeconfig(tmp_path))])

    assert done.exit_code == 1
    assert done.stderr.startswith("error: ")
    assert 'no entry "c" in clusters' in done.stderr or 'no entry "u" in users' in done.stderr
