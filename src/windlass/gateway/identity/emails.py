"""Whether a text is an e-mail address that may name a user. Linear in its length, which is limited."""

LONGEST = 254  # RFC 5321's limit of a path
_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.!#$%&'*+/=?^_`{|}~-")
_DOMAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def normalised(text: str) -> str:
    """The form in which addresses are kept and compared."""
    return text.strip().lower()


def problem(email: str) -> str | None:
    """Why a normalised text is not an address that can be used; None if it is one."""
    if len(email) > LONGEST:
        return f"longer than {LONGEST} characters"
    local, at, domain = email.rpartition("@")
    if not at or not local or not domain:
        return "not of the form name@domain"
    if not set(local) <= _LOCAL:
        return "the part before @ has characters that are not allowed"
    labels = domain.split(".")
    if not all(label and len(label) <= 63 and set(label) <= _DOMAIN for label in labels):
        return "the part after @ is not a domain name"
    return None


def group_problem(group: str) -> str | None:
    """Why a name cannot be a person's group: Kubernetes keeps `system:` for itself, and a comma separates groups."""
    if not group or len(group) > LONGEST:
        return "empty or too long"
    if group.startswith("system:"):
        return "names that start with system: are Kubernetes' own"
    if "," in group or any(ord(character) < 0x20 or ord(character) == 0x7F for character in group):
        return "a comma or a control character"
    return None
