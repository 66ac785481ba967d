"""Where an address leads, however it is written."""

import pytest

from windlass.kube.address_ranges import is_local_or_metadata, is_public

LOCAL = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "169.254.169.254", "224.0.0.1", "::1", "::", "fe80::1", "fe80::1%eth0",
    "ff02::1",
]  # fmt: skip
METADATA = ["100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"]
CARRYING = ["::ffff:{}", "64:ff9b::{}", "::{}", "::ffff:0:{}"]
PRIVATE = [
    "10.0.0.3",
    "172.16.0.1",
    "192.168.1.20",
    "100.64.0.1",
    "fd00::1",
    "fec0::1",
    "198.18.0.1",
    "64:ff9b:1::1",
    "0.1.2.3",
]
PUBLIC = ["52.216.0.1", "8.8.8.8", "2600::1", "2606:4700::1"]


@pytest.mark.parametrize("address", [*LOCAL, *METADATA])
def test_this_machine_its_links_and_metadata_services_are_no_place_for_a_request(address: str) -> None:
    assert is_local_or_metadata(address)
    assert not is_public(address)


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_network_is_neither_public_nor_of_this_machine(address: str) -> None:
    assert not is_public(address)
    assert not is_local_or_metadata(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)
    assert not is_local_or_metadata(address)


@pytest.mark.parametrize("form", CARRYING)
@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16"])
def test_an_ipv6_address_leads_to_the_ipv4_address_that_it_carries(form: str, address: str) -> None:
    assert is_local_or_metadata(form.format(address))
    assert not is_public(form.format(address))


@pytest.mark.parametrize("address", ["2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:1::ffff:5601:5601"])
def test_a_tunnel_leads_to_the_ipv4_address_at_its_end(address: str) -> None:
    assert is_local_or_metadata(address)
    assert not is_public(address)


def test_a_network_that_translates_addresses_reaches_the_internet() -> None:
    """Where there is IPv6 alone, names of IPv4 hosts resolve to such addresses."""
    assert is_public("64:ff9b::8.8.8.8")
