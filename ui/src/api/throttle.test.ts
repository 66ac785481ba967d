import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { throttled } from "./throttle";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("calls that never pause are carried out all the same, at most every 250 ms", () => {
  const action = vi.fn();
  const { call } = throttled(action, 250);
  for (let elapsed = 0; elapsed < 1_000; elapsed += 100) {
    call();
    vi.advanceTimersByTime(100);
  }

  expect(action).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(1_000);
  expect(action, "the last call is not lost, and nothing follows it").toHaveBeenCalledTimes(4);
});

test("what is still to come can be carried out at once", () => {
  const action = vi.fn();
  const { call, flush } = throttled(action, 250);
  flush();
  expect(action).not.toHaveBeenCalled();

  call();
  flush();
  vi.advanceTimersByTime(1_000);
  expect(action).toHaveBeenCalledTimes(1);
});
