"""Quantities: what they mean, how they print, how they are refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.kube.quantity import FORMAT_ERROR, NUMBER_ERROR, SUFFIX_ERROR, Quantity

_SCALES = {
    **{"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": Fraction(1)},
    **{suffix: Fraction(1000 ** (power + 1)) for power, suffix in enumerate("kMGTPE")},
    **{f"{suffix}i": Fraction(1024 ** (power + 1)) for power, suffix in enumerate("KMGTPE")},
    **{f"e{power}": Fraction(10) ** power for power in range(-6, 13)},
    **{f"E{power}": Fraction(10) ** power for power in (2, 3)},
}


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1500m", "1500m"),
        ("1.5", "1500m"),
        ("0.5", "500m"),
        ("1000m", "1"),
        ("1Gi", "1Gi"),
        ("0.5Gi", "512Mi"),
        ("1024Mi", "1Gi"),
        ("1000Ki", "1000Ki"),
        ("1.5Ki", "1536"),
        ("0.1Ki", "102400m"),
        ("100Ki", "100Ki"),
        ("1e3", "1e3"),
        ("1E3", "1e3"),
        ("12e2", "1200"),
        ("5e-3", "5e-3"),
        ("1000", "1k"),
        ("1024", "1024"),
        ("1000000", "1M"),
        ("0.1n", "1n"),
        ("1E", "1E"),
        ("-1.5Gi", "-1536Mi"),
        ("+5", "5"),
        (".5", "500m"),
        ("5.", "5"),
        ("0Gi", "0"),
        ("-0", "0"),
        (2, "2"),
        (1.5, "1500m"),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854775807"),
        ("-1e308", "-9223372036854775807"),
        ("1e308", "9223372036854775807"),
        (1e308, "9223372036854775807"),
        ("1e2147483647", "9223372036854775807"),
        ("0e2147483647", "0"),
        ("1e-2147483647", "1e-9"),
        ("16E", "9223372036854775807"),
        ("8Ei", "9223372036854775807"),
        ("7Ei", "7Ei"),
        ("9" * 1000, "9223372036854775807"),
    ],
)
def test_it_prints_in_canonical_form(text: str | int | float, canonical: str) -> None:
    assert str(Quantity.parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", FORMAT_ERROR),
        ("1x", FORMAT_ERROR),
        ("1 Gi", FORMAT_ERROR),
        ("--1", FORMAT_ERROR),
        ("1.2.3", FORMAT_ERROR),
        ("Gi", FORMAT_ERROR),
        ("١", FORMAT_ERROR),
        ("1Kii", SUFFIX_ERROR),
        ("1e", SUFFIX_ERROR),
        ("1K", SUFFIX_ERROR),
        ("1e99999999999", SUFFIX_ERROR),
        ("1e1.5", FORMAT_ERROR),
        ("0x10", FORMAT_ERROR),
        ("inf", FORMAT_ERROR),
        ("nan", FORMAT_ERROR),
        (float("inf"), FORMAT_ERROR),
        (float("nan"), FORMAT_ERROR),
        (".", NUMBER_ERROR),
        ("9" * 5000, NUMBER_ERROR),
        (True, FORMAT_ERROR),
    ],
)
def test_what_is_no_quantity_is_refused_in_kubernetes_words(text: str, error: str) -> None:
    with pytest.raises(ValueError) as refused:
        Quantity.parse(text)
    assert str(refused.value) == error


numbers = st.decimals(min_value=-10000, max_value=10000, places=3, allow_nan=False)
quantities = st.tuples(numbers, st.sampled_from(sorted(_SCALES)))


@given(quantities)
def test_parsing_is_exact_down_to_a_nano_unit_and_rounds_away_from_zero(written: tuple[object, str]) -> None:
    number, suffix = written
    exact = Fraction(str(number)) * _SCALES[suffix] * 10**9
    whole = -(-exact.numerator // exact.denominator) if exact >= 0 else exact.numerator // exact.denominator

    most = (2**63 - 1) * 10**9
    assert Quantity.parse(f"{number}{suffix}").nano == max(-most, min(whole, most))


@given(quantities)
def test_printing_loses_nothing_and_is_stable(written: tuple[object, str]) -> None:
    quantity = Quantity.parse(f"{written[0]}{written[1]}")
    again = Quantity.parse(str(quantity))

    assert again == quantity
    assert str(again) == str(quantity)


@given(quantities, quantities)
def test_order_sum_and_difference_are_those_of_the_numbers(one: tuple[object, str], other: tuple[object, str]) -> None:
    left, right = Quantity.parse(f"{one[0]}{one[1]}"), Quantity.parse(f"{other[0]}{other[1]}")

    assert (left < right) == (left.nano < right.nano)
    assert (left == right) == (left.nano == right.nano)
    assert (left + right).nano == left.nano + right.nano
    assert left - right + right == left


def test_a_sum_keeps_the_suffixes_of_what_it_started_from() -> None:
    assert str(Quantity.parse("1Gi") + Quantity.parse("1G")) == "2073741824"
    assert str(Quantity.parse("1Gi") + Quantity.parse("512Mi")) == "1536Mi"
    assert str(Quantity.parse("0") + Quantity.parse("1Gi")) == "1Gi"


def test_whole_and_milli_values_round_away_from_zero() -> None:
    assert (Quantity.parse("1500m").value(), Quantity.parse("1500m").milli()) == (2, 1500)
    assert (Quantity.parse("-1500m").value(), Quantity.parse("1u").milli()) == (-2, 1)
    assert Quantity.of_milli(250) == Quantity.parse("0.25")


def test_zero_is_false_and_equal_amounts_hash_alike() -> None:
    assert not Quantity.parse("0")
    assert len({Quantity.parse("1"), Quantity.parse("1000m"), Quantity.parse("1e0")}) == 1


@given(st.from_regex(r"[+-]?[0-9]{1,400}(\.[0-9]{0,400})?([eE][+-]?[0-9]{1,9}|[KMGTPE]i|[numkMGTPE])?", fullmatch=True))
def test_whatever_is_accepted_is_finite_and_within_64_bits(text: str) -> None:
    quantity = Quantity.parse(text)

    assert abs(quantity.value()) <= 2**63 - 1
    assert abs(quantity.nano / 1e9) < 1e19
    assert abs(Quantity.parse(str(quantity)).nano) == abs(quantity.nano)
