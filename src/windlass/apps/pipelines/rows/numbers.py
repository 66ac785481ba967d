"""Numbers of records, for fields that are integers on the wire: `artifact_ids` of the API, ids of the metadata store.

The number of a record is the first 48 bits of its UUID. Nothing is stored for it: records with a number are found by
their ids, in the order of the primary key. A browser can hold it, since JavaScript's integers have 53 bits. Among
100,000 records two have the same number with a probability of 1 to 50,000.
"""

import hashlib
import re

BITS = 48
_DIGITS = BITS // 4
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"


def number_of(id: str) -> int:
    """A stable positive number for an id."""
    if _UUID.fullmatch(id):
        return int(id.replace("-", "")[:_DIGITS], 16)
    return digest_number(id)


def digest_number(text: str) -> int:
    """A stable number of as many bits for any text; nothing is found by it in the tables."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[: BITS // 8])


def ids_with(number: int) -> tuple[str, str]:
    """The first and the last UUID with that number; those after all others for a number that is too large."""
    if not 0 <= number < 1 << BITS:
        return _LAST, _LAST
    digits = f"{number:0{_DIGITS}x}"
    prefix = f"{digits[:8]}-{digits[8:]}"
    return f"{prefix}-0000-0000-000000000000", f"{prefix}-ffff-ffff-ffffffffffff"
