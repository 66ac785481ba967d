"""The webhooks' certificate: good for its names, kept while it is good, renewed under the same CA."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509

from windlass.webhooks.certificates import CA_LIFE, LIFE, Bundle, renewed

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ("windlass.team.svc", "127.0.0.1")


def certificate(pem: bytes) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pem)


def test_a_new_certificate_is_signed_by_its_ca_and_good_for_every_name() -> None:
    made = renewed(None, NAMES, NOW)

    shown = certificate(made.certificate)
    names = shown.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    shown.verify_directly_issued_by(certificate(made.ca))
    assert names.get_values_for_type(x509.DNSName) == ["windlass.team.svc"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]
    assert shown.not_valid_before_utc < NOW < shown.not_valid_after_utc


def test_a_certificate_that_is_good_for_a_while_stays_as_it_is() -> None:
    made = renewed(None, NAMES, NOW)

    assert renewed(made, NAMES, NOW + timedelta(days=200)) == made
    assert renewed(made, NAMES[:1], NOW) == made


@pytest.mark.parametrize(
    ("names", "later"),
    [(NAMES, LIFE - timedelta(days=80)), (NAMES, LIFE * 2), ((*NAMES, "windlass.other.svc"), timedelta())],
)
def test_a_certificate_near_its_end_or_without_a_name_is_replaced_under_the_same_ca(
    names: tuple[str, ...], later: timedelta
) -> None:
    made = renewed(None, NAMES, NOW)

    after = renewed(made, names, NOW + later)

    assert after.ca == made.ca
    assert after.certificate != made.certificate
    assert renewed(after, names, NOW + later) == after


def test_a_ca_near_its_end_is_replaced_with_all_that_it_signed() -> None:
    made = renewed(None, NAMES, NOW)

    after = renewed(made, NAMES, NOW + CA_LIFE - timedelta(days=100))

    assert after.ca != made.ca
    certificate(after.certificate).verify_directly_issued_by(certificate(after.ca))


@pytest.mark.parametrize("part", ["ca", "ca_key", "certificate", "key"])
@pytest.mark.parametrize("instead", [b"nonsense", "another's"], ids=["nonsense", "another's"])
def test_parts_that_do_not_belong_together_are_made_anew(part: str, instead: bytes | str) -> None:
    made, other = renewed(None, NAMES, NOW), renewed(None, NAMES, NOW)
    broken = replace(made, **{part: instead if isinstance(instead, bytes) else getattr(other, part)})

    after = renewed(broken, NAMES, NOW)

    assert after != broken
    assert renewed(after, NAMES, NOW) == after


def test_a_secret_holds_all_of_it() -> None:
    made = renewed(None, NAMES, NOW)

    assert set(made.as_secret()) == {"ca.crt", "ca.key", "tls.crt", "tls.key"}
    assert Bundle.from_secret(made.as_secret()) == made


@pytest.mark.parametrize("data", [{}, {"tls.crt": "AA=="}, {"ca.crt": "!", "ca.key": "", "tls.crt": "", "tls.key": ""}])
def test_a_secret_that_lacks_something_holds_nothing(data: dict[str, str]) -> None:
    assert Bundle.from_secret(data) is None
