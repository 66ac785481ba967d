"""The conditions of a Profile: Successful or Failed as upstream names them, and Ready."""

from windlass.apps.profiles.kinds import ProfileCondition, ProfileStatus

SUCCESSFUL, FAILED, READY = "Successful", "Failed", "Ready"


def successful() -> ProfileStatus:
    return ProfileStatus(
        conditions=[
            ProfileCondition(type=SUCCESSFUL, status="True"),
            ProfileCondition(type=READY, status="True"),
        ]
    )


def failed(message: str, *, is_ready: bool = False) -> ProfileStatus:
    """What went wrong; `is_ready` if the namespace can be used nevertheless."""
    return ProfileStatus(
        conditions=[
            ProfileCondition(type=FAILED, status="True", message=message),
            ProfileCondition(type=READY, status="True" if is_ready else "False", message="" if is_ready else message),
        ]
    )


def deleted(message: str) -> ProfileStatus:
    """In the recycle bin."""
    return ProfileStatus(conditions=[ProfileCondition(type=READY, status="False", message=message)])
