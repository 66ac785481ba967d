"""Text and colours for the terminal; click strips colours where they are not supported."""

import shutil
import sys
from pathlib import Path

import click

from windlass import __version__
from windlass.supervisor.datadir import DataDir

PUBLISHED_PASSWORD = "12341234"


def short_path(path: Path) -> str:
    """The path, with `~` for the home directory."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)


def duration(seconds: float) -> str:
    """Format seconds as kubectl formats AGE: at most two units."""
    whole = int(seconds)
    if whole < 120:
        return f"{whole}s"
    if whole < 3 * 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes}m{rest}s" if minutes < 10 and rest else f"{minutes}m"
    if whole < 48 * 3600:
        hours, rest = divmod(whole // 60, 60)
        return f"{hours}h{rest}m" if hours < 8 and rest else f"{hours}h"
    return f"{whole // 86400}d"


def size(count: int | None) -> str:
    if count is None:
        return "-"
    amount = float(count)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def headline(data: DataDir) -> None:
    click.echo(f"{click.style('Windlass', bold=True)} {__version__}  {click.style(short_path(data.root), dim=True)}")


def done(name: str, rest: str) -> None:
    click.echo(f"  {click.style(check_mark(), fg='green')} {name:<9}{click.style(rest, dim=True)}")


def problem(text: str) -> None:
    """Print a problem below the line of its component."""
    click.echo(click.style(f"    ! {one_line(text)}", fg="yellow"))


def one_line(text: str) -> str:
    """Join the lines of another program's message."""
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


def check_mark() -> str:
    return "✓" if "utf" in (sys.stdout.encoding or "").lower() else "*"


def print_access(url: str, kubeconfig: Path, gateway_url: str = "", password: str | None = None) -> None:
    """Where it is, and the next thing to try."""
    click.echo("")
    if gateway_url:
        click.echo(f"  Gateway     {click.style(gateway_url, fg='cyan')}")
    if password is not None:
        first_password(password, is_published=password == PUBLISHED_PASSWORD)
    click.echo(f"  API         {click.style(url, fg='cyan')}")
    click.echo(f"  kubeconfig  {click.style(str(kubeconfig), fg='cyan')}")
    click.echo(f"\nTry:  {click.style(f'export KUBECONFIG={quoted(kubeconfig)}', bold=True)}")
    click.echo(f"      {click.style('kubectl get namespaces', bold=True)}")


def first_password(password: str, *, is_published: bool = False) -> None:
    """The first user's password, which is not kept anywhere."""
    click.echo(f"  Sign in     {click.style('user@example.com', fg='cyan')}  {click.style(password, bold=True)}")
    note = "shown once; change it: windlass user passwd user@example.com"
    if is_published:
        note = "the password of Kubeflow's documents: for this machine only"
    click.echo(click.style(f"              {note}", dim=True))


def quoted(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))


def program_name() -> str:
    """How to call this program from here: `windlass` if it is on the PATH, else its path."""
    if shutil.which("windlass"):
        return "windlass"
    script = Path(sys.argv[0]).absolute()
    return quoted(script.relative_to(Path.cwd()) if script.is_relative_to(Path.cwd()) else script)
