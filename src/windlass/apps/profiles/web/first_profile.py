"""The Profile of the first user, made once, as soon as the API server serves the kind."""

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from windlass.apps.profiles.names import FIRST_PROFILE
from windlass.gateway.context import GatewayContext
from windlass.gateway.identity.first_user import PROFILE_PENDING
from windlass.gateway.identity.users import FIRST_EMAIL
from windlass.kube.errors import AlreadyExists, ApiError, NotFound, ServiceUnavailable

if TYPE_CHECKING:
    from windlass.kube.client import Client

RETRY_SOON, RETRY_LATER = timedelta(seconds=1), timedelta(seconds=15)

log = logging.getLogger(__name__)


async def make_first_profile(context: GatewayContext) -> None:
    """Create the first user's Profile once, as soon as the API server serves the kind."""
    waits = 0
    while context.database.read("SELECT 1 FROM secrets WHERE name = ?", PROFILE_PENDING):
        try:
            await _create_profile(context.client)
        except AlreadyExists:
            pass
        except NotFound:  # the kind is not served (yet)
            waits += 1
            await asyncio.sleep((RETRY_SOON if waits < 20 else RETRY_LATER).total_seconds())
            continue
        except ServiceUnavailable:  # the API server starts beside the gateway
            await asyncio.sleep(RETRY_SOON.total_seconds())
            continue
        except ApiError as error:
            log.info("the first profile is not made yet, trying again error=%s", error)
            await asyncio.sleep(RETRY_SOON.total_seconds())
            continue
        context.database.write("DELETE FROM secrets WHERE name = ?", PROFILE_PENDING)
        log.info("created profile=%s owner=%s", FIRST_PROFILE, FIRST_EMAIL)


async def _create_profile(client: "Client") -> None:
    from windlass.kube.json import encode
    from windlass.kube.transport import Request

    profile = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Profile",
        "metadata": {"name": FIRST_PROFILE},
        "spec": {"owner": {"kind": "User", "name": FIRST_EMAIL}},
    }
    await client.send(Request("POST", "/apis/kubeflow.org/v1/profiles", {}, encode(profile)))
