import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { whenIdle } from "./idle";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the browser is asked when it is idle, and within which time", () => {
  const cancel = vi.fn();
  const ask = vi.fn((action: () => void) => {
    action();
    return 7;
  });
  vi.stubGlobal("requestIdleCallback", ask);
  vi.stubGlobal("cancelIdleCallback", cancel);
  const action = vi.fn();

  whenIdle(action, 250)();
  expect(action).toHaveBeenCalledTimes(1);
  expect(ask).toHaveBeenCalledWith(action, { timeout: 250 });
  expect(cancel).toHaveBeenCalledWith(7);
});

test("a browser that cannot say so is given the work soon, unless it is cancelled", () => {
  vi.stubGlobal("requestIdleCallback", undefined);
  const action = vi.fn();
  whenIdle(action, 250);
  whenIdle(action, 250)();
  expect(action).not.toHaveBeenCalled();

  vi.runAllTimers();
  expect(action).toHaveBeenCalledTimes(1);
});
