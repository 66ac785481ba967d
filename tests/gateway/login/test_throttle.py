"""Throttling of passwords by user, address and known browser."""

from windlass.gateway.login.throttle import (
    MAX_WAITING,
    MAX_WAITING_FOR_USER,
    PER_ADDRESS,
    PER_USER,
    SignInTry,
    Throttle,
    delay_after,
)

HOME = "203.0.113.1"


def fail(throttle: Throttle, attempt: SignInTry, times: int) -> None:
    for _ in range(times):
        throttle.failed(attempt)


def test_tries_are_free_up_to_the_limit_and_then_wait_ever_longer() -> None:
    assert [delay_after(failures, 10) for failures in (0, 9, 10, 11, 12, 30)] == [0, 0, 1, 2, 4, 30]


def test_failures_count_for_ten_minutes_by_user_and_by_address() -> None:
    now = 0.0
    throttle = Throttle(clock=lambda: now)
    for number in range(PER_USER):
        throttle.failed(SignInTry("ann", f"192.0.2.{number}"))
    for number in range(PER_ADDRESS):
        throttle.failed(SignInTry(f"user{number}", "198.51.100.1"))

    assert throttle.delay(SignInTry("ann", HOME)) == 1
    assert throttle.delay(SignInTry("new", "198.51.100.1")) == 1
    assert throttle.delay(SignInTry("new", HOME)) == 0
    throttle.succeeded(SignInTry("ann", HOME))
    assert throttle.delay(SignInTry("ann", HOME)) == 0
    now = 601.0
    assert throttle.delay(SignInTry("new", "198.51.100.1")) == 0


def test_ten_tries_a_user_and_thirty_an_address_are_free() -> None:
    assert (PER_USER, PER_ADDRESS) == (10, 30)


def test_only_a_few_tries_of_an_address_wait_at_a_time() -> None:
    throttle = Throttle()
    attempt = SignInTry("ann", HOME)
    admitted = [throttle.may_wait(attempt) for _ in range(MAX_WAITING + 2)]
    throttle.waited(attempt)

    assert admitted == [True] * MAX_WAITING + [False, False]
    assert throttle.may_wait(attempt)


def test_one_address_does_not_take_all_places_of_a_user() -> None:
    throttle = Throttle()
    while throttle.may_wait(SignInTry("ann", "198.51.100.1")):
        pass

    assert throttle.full_queue(SignInTry("ann", "198.51.100.1")) == ("address", "198.51.100.1")
    assert throttle.may_wait(SignInTry("ann", HOME))


def test_many_addresses_guess_no_faster_than_the_queue_of_a_user() -> None:
    throttle = Throttle()
    admitted = [throttle.may_wait(SignInTry("ann", f"192.0.2.{number}")) for number in range(100)]

    assert sum(admitted) == MAX_WAITING_FOR_USER
    assert throttle.full_queue(SignInTry("ann", HOME)) == ("user", "ann")


def test_a_known_browser_is_counted_apart_from_strangers() -> None:
    throttle = Throttle()
    fail(throttle, SignInTry("ann", HOME), 200)
    while throttle.may_wait(SignInTry("ann", HOME)):
        pass
    known = SignInTry("ann", HOME, "b1")

    assert throttle.delay(known) == 0
    assert throttle.may_wait(known)
    throttle.succeeded(known)
    assert throttle.delay(SignInTry("ann", HOME)) == 30, "a success of the user gives strangers no further tries"
    fail(throttle, known, PER_USER)
    assert throttle.delay(known) == 1, "a stolen cookie has few tries"
