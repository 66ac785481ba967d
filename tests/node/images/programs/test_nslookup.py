"""nslookup asks as the C library's resolver would, and reads what Windlass' own DNS answers."""

import pytest

from windlass.node.images.programs import nslookup
from windlass.node.network import dns_message

RESOLV_CONF = """\
# a comment
search team.svc.cluster.local svc.cluster.local
nameserver 10.96.0.10
nameserver fd00::10
options ndots:5 timeout:1
"""


def test_resolv_conf_is_read() -> None:
    servers, search, dots = nslookup.configuration(RESOLV_CONF)

    assert servers == ["10.96.0.10", "fd00::10"]
    assert search == ["team.svc.cluster.local", "svc.cluster.local"]
    assert dots == 5


def test_without_a_server_this_machine_is_asked() -> None:
    assert nslookup.configuration("") == (["127.0.0.1"], [], 1)


@pytest.mark.parametrize(
    ("name", "dots", "asked"),
    [
        ("web", 5, ["web.a", "web.b", "web"]),
        ("web.team.svc", 2, ["web.team.svc", "web.team.svc.a", "web.team.svc.b"]),
        ("web.team.", 5, ["web.team"]),
    ],
)
def test_short_names_go_through_the_search_domains_first(name: str, dots: int, asked: list[str]) -> None:
    assert nslookup.candidates(name, ["a", "b"], dots) == asked


def test_a_question_and_its_answer_are_those_of_dns() -> None:
    question = dns_message.parse(nslookup.question(7, "web.team.svc.cluster.local", nslookup.A))
    alias = dns_message.name_record(question.name, 5, "other.example.com", 5)
    records = [
        alias,
        *(dns_message.address_record("other.example.com", one, 5) for one in ("10.244.0.3", "10.244.0.4")),
    ]

    message = dns_message.answer(question, records)

    assert (question.id, question.name, question.type) == (7, "web.team.svc.cluster.local", nslookup.A)
    assert nslookup.addresses(message, nslookup.A) == ["10.244.0.3", "10.244.0.4"]
    assert nslookup.addresses(message, nslookup.AAAA) == []
