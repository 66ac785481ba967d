"""The packages of a lightweight component are read from commands of exactly the SDK's shape."""

import pytest

from windlass.apps.pipelines.executor.packages import packages

KFP = """'kfp==2.17.0' '--no-deps' 'typing-extensions>=3.7.4,<5; python_version<"3.9"'"""
ALONE = '--no-deps\nkfp==2.17.0\ntyping-extensions>=3.7.4,<5; python_version<"3.9"'
PIP = "python3 -m pip install --quiet --no-warn-script-location "
BODY = ["sh", "-ec", 'program_path=$(mktemp -d)\n… python3 -m kfp.dsl.executor_main "$@"\n', "def f(): ..."]


def script(installs: str) -> str:
    return (
        '\nif ! [ -x "$(command -v pip)" ]; then\n'
        "    python3 -m ensurepip || python3 -m ensurepip --user || apt-get install python3-pip\nfi\n\n"
        f'PIP_DISABLE_PIP_VERSION_CHECK=1 {installs} && "$0" "$@"\n'
    )


def command(*installs: str) -> list[str]:
    return [word for one in installs for word in ("sh", "-c", script(one))] + BODY


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (command(PIP + KFP), ALONE),
        (command(f"{PIP}'pandas==2.0' 'scikit-learn[alldeps]>=1,<2'  &&  {PIP}{KFP}"),
         f"pandas==2.0\nscikit-learn[alldeps]>=1,<2\n{ALONE}"),
        (command(f"{PIP}{KFP}  &&  {PIP}'pandas'"), f"pandas\n{ALONE}"),
        (command(PIP + KFP, f"{PIP}'a~=1.0' 'b!=2.*'"), f"a~=1.0\nb!=2.*\n{ALONE}"),
        (command("python3 -m pip install --quiet     --no-warn-script-location 'kfp==2.1.3'"), "kfp==2.1.3"),
        (command("python3 -m pip install --quiet \\\n    --no-warn-script-location 'kfp==2.1.3'"), "kfp==2.1.3"),
        (BODY, ""),
        (["python3", "-m", "kfp.dsl.executor_main"], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_requirements_are_found_line_by_line(words: list[str], expected: str) -> None:
    assert packages(words) == expected


@pytest.mark.parametrize(
    "installs",
    [
        f"{PIP}--index-url https://e.x/simple --trusted-host https://e.x/simple 'pandas'",
        f"{PIP}'git+https://e.x/a.git'",
        f"{PIP}'a @ https://e.x/a.whl'",
        f"{PIP}'./wheels/a.whl'",
        f"{PIP}'/a'",
        f"{PIP}'-r' 'requirements.txt'",
        f"{PIP}'--pre' 'a'",
        f"{PIP}'a",
        f"{PIP}'a' ; rm -rf x",
        f"{PIP}'a' > b",
        "pip install a",
        f"{PIP}'six'  &&  \nexport PIP_DISABLE_PIP_VERSION_CHECK=1\ntmp=$(mktemp -d)\n"
        f'python3 -m venv "$tmp/venv" --system-site-packages\n. "$tmp/venv/bin/activate"\n {PIP}{KFP}',
        PIP + " ".join(f"'package-{number}==1.0'" for number in range(1000)),
    ],
)
def test_nothing_is_read_from_any_other_command(installs: str) -> None:
    assert packages(command(installs)) == ""
    assert packages(command(PIP + KFP, installs)) == ""
