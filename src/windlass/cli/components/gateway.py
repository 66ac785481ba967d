"""`windlass gateway`: login, sessions and the way into pods, in the foreground, on the embedded server or a cluster."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlass.cli import screen
from windlass.cli.components.app_options import read_options
from windlass.cli.components.supervised import end_with_supervisor, set_up_logging, supervised_option
from windlass.cli.failure import Failure
from windlass.cli.settings import GatewayFlags, GatewaySettings, data_dir_at, takes
from windlass.supervisor.datadir import DataDir, write_atomically

if TYPE_CHECKING:
    from windlass.gateway import settings as given
    from windlass.kube.client import Client

AUDIT_POLICY = Path(__file__).with_name("audit_policy.json")
"""What the API server's audit log records where several people use it, unless another policy is given: what others may
ask about later, which are changes of rights, commands in pods, and secrets."""

SERVER_RESTART_SECONDS = 5.0
"""How long a request waits for an API server that was killed; a restart takes one or two."""


@click.command()
@supervised_option
@takes(GatewaySettings)
def gateway(settings: GatewaySettings, supervised: bool) -> None:
    """Run only the gateway, in the foreground.

    Before the server of this data dir, or with --kubeconfig before a cluster.
    """
    import uvloop

    from windlass.kube.light_aiohttp import import_aiohttp

    set_up_logging(settings.debug)
    if supervised:
        end_with_supervisor()
    import_aiohttp()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(settings))


async def _run(settings: GatewaySettings) -> None:
    from windlass.gateway.context import open_context
    from windlass.gateway.database import BadDatabase
    from windlass.gateway.identity.file_fields import BadUsersFile
    from windlass.gateway.server import BadCertificate, serving
    from windlass.kube.listening import CannotListen
    from windlass.kube.signals import on_signals

    data = data_dir_at(settings.data_dir)
    data.prepare()
    stop = asyncio.Event()
    on_signals(asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM), stop.set)
    given = gateway_settings(settings)
    password = prepare(given)
    if password is not None and not settings.demo:
        screen.first_password(password)
    async with await _connect(settings, data) as client:
        try:
            with open_context(given, client, os.environ) as context:
                async with serving(context):
                    data.gateway_ready_file.touch()
                    await stop.wait()
        except CannotListen as error:
            raise Failure(f"{error}. Say where else: --gateway-listen, --gateway-port") from error
        except BadCertificate as error:
            raise Failure(f"--gateway-tls-cert {error}") from error
        except (BadDatabase, BadUsersFile) as error:
            raise Failure(str(error)) from error
        finally:
            data.gateway_ready_file.unlink(missing_ok=True)


def gateway_settings(settings: GatewayFlags) -> "given.GatewaySettings":
    """What the flags say, in the gateway's own terms."""
    from windlass.gateway.settings import GatewaySettings as Given

    if (settings.gateway_tls_cert is None) != (settings.gateway_tls_key is None):
        raise Failure("--gateway-tls-cert and --gateway-tls-key go together", exit_code=2)
    data = data_dir_at(settings.data_dir)
    kubeconfig, context = data.kubeconfig, ""
    if isinstance(settings, GatewaySettings) and not is_embedded(settings):
        kubeconfig, context = settings.kubeconfig, settings.context or ""
    return Given(
        folder=data.gateway,
        audit_log=data.log_of("audit"),
        listen=settings.gateway_listen,
        port=settings.gateway_port,
        external_url=settings.external_url or "",
        tls_cert=settings.gateway_tls_cert,
        tls_key=settings.gateway_tls_key,
        users_file=settings.users_file or data.root / "users.yaml",
        spawner_config=settings.spawner_config or data.root / "spawner_ui_config.yaml",
        insecure_http=settings.insecure_http,
        demo=settings.demo,
        registration_flow=settings.registration_flow,
        pods_socket=data.pods_socket if is_embedded(settings) else None,
        data_dir=data.root if is_embedded(settings) else None,
        max_backups=settings.gateway_max_backups,
        options=read_options(os.environ, data.root if is_embedded(settings) else None),
        api_kubeconfig=kubeconfig,
        api_context=context,
        csrf_same_site=os.environ.get("CSRF_SAMESITE", "Strict"),
        ingress_tokens=os.environ.get("WINDLASS_INGRESS_TOKENS") == "true",
        review_socket=data.gateway_socket if is_embedded(settings) else None,
    )


def prepare(given: "given.GatewaySettings") -> str | None:
    """Make the first user, and refuse to listen where that would be dangerous; answers the password to show once."""
    from windlass.gateway.database import BadDatabase, Database
    from windlass.gateway.exposure import refusal
    from windlass.gateway.identity.file_fields import BadUsersFile
    from windlass.gateway.identity.first_user import make_first_user
    from windlass.gateway.identity.static_file import StaticFile
    from windlass.gateway.identity.users import Users

    try:
        database = Database(given.database)
        users = Users(database, StaticFile(given.users_file, os.environ))
    except (BadDatabase, BadUsersFile) as error:
        raise Failure(str(error)) from error
    is_published = not given.is_loopback and users.has_published_password()
    if why := refusal(given, has_published_password=is_published):
        raise Failure(why, exit_code=2)
    password = make_first_user(database, users, demo=given.demo)
    database.close()
    return password


def write_token_webhook(data: DataDir) -> Path:
    """The kubeconfig by which the API server asks the gateway about tokens, as Kubernetes' flag for it wants one."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "gateway", "cluster": {"server": f"unix://{data.gateway_socket}:/token-review"}}],
        "contexts": [{"name": "gateway", "context": {"cluster": "gateway", "user": ""}}],
        "current-context": "gateway",
    }
    write_atomically(data.token_webhook, json.dumps(config).encode(), mode=0o600, durable=False)
    return data.token_webhook


def is_embedded(settings: GatewayFlags) -> bool:
    return not isinstance(settings, GatewaySettings) or (settings.kubeconfig is None and not settings.in_cluster)


async def _connect(settings: GatewaySettings, data: DataDir) -> "Client":
    """A client of the API; it need not answer yet, since the login page does without."""
    from windlass.kube.connect import by_kubeconfig, by_socket, in_cluster

    try:
        if settings.kubeconfig is not None:
            return await by_kubeconfig(settings.kubeconfig, context=settings.context or "")
        if settings.in_cluster:
            return in_cluster()
    except (ValueError, OSError) as error:
        raise Failure(str(error)) from error
    return by_socket(
        data.socket,
        token_file=data.gateway_token,
        user_agent="windlass-gateway",
        restart_seconds=SERVER_RESTART_SECONDS,
    )
