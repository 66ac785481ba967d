"""The account of runs that name none."""

from windlass.apis.core_v1 import ServiceAccount
from windlass.apps.pipelines.names import PROFILE_ACCOUNT, RUNNER_ACCOUNT
from windlass.kube.api import Api
from windlass.kube.view import metadata_only


async def default_account(api: Api, namespace: str) -> str:
    """That of profiles, if the namespace has one, else Kubeflow's, else the namespace's default."""
    accounts = await api.list(metadata_only(ServiceAccount), namespace)
    names = {account.metadata.name for account in accounts.items}
    return next((name for name in (PROFILE_ACCOUNT, RUNNER_ACCOUNT) if name in names), "default")
