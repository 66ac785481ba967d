"""Where a sign-in may lead when it is over: a path of this gateway, and nothing else. Pure."""

from urllib.parse import urlsplit

LONGEST = 2000
HOME = "/"
SIGN_OUT_PATHS = ("/logout", "/oauth2/sign_out")


def safe_target(target: str | None, own_origins: tuple[str, ...] = ()) -> str:
    """`target` if it is a path here, or a URL of one of `own_origins` as its path; the home page otherwise."""
    if not target or len(target) > LONGEST:
        return HOME
    for own in own_origins:
        if target == own or target.startswith(f"{own}/"):
            target = target[len(own) :] or HOME
            break
    return target if _is_path(target) and not _signs_out(target) else HOME


def _signs_out(target: str) -> bool:
    """Who signs in because they wanted to sign out, with a session that was over, stays signed in."""
    return target.partition("?")[0].rstrip("/") in SIGN_OUT_PATHS


def _is_path(target: str) -> bool:
    """Whether browsers take it for a path here: they drop tabs and line breaks, and read a backslash as a slash."""
    if not target.startswith("/") or target.startswith("//"):
        return False
    if "\\" in target or any(not 0x20 < ord(character) < 0x7F for character in target):
        return False
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc
