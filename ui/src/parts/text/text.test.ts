import { expect, test } from "vitest";
import { bytes, latency } from "./sizes";
import { duration, refreshPeriod, shortDuration } from "./times";

test.each([
  [0, "0 s", "0 s"],
  [-5, "0 s", "0 s"],
  [45, "45 s", "45 s"],
  [60, "1 min", "1 min"],
  [61, "1 min 1 s", "1 min"],
  [3_600, "1 h", "1 h"],
  [11_520, "3 h 12 min", "3 h"],
  [3_601, "1 h", "1 h"],
  [86_400 * 400, "1 y 35 d", "1 y"],
])("%i seconds", (seconds, long, short) => {
  expect([duration(seconds), shortDuration(seconds)]).toEqual([long, short]);
});

test("in Chinese", () => {
  expect([duration(11_520, "zh"), shortDuration(11_520, "zh")]).toEqual(["3 小时 12 分钟", "3 小时"]);
});

test("the older something is, the less often its age is written again", () => {
  expect([5, 600, 7_200].map(refreshPeriod)).toEqual([1_000, 15_000, 60_000]);
});

test.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_024, "1 Ki"],
  [1_536, "1.5 Ki"],
  [150 * 1_024, "150 Ki"],
  [2 ** 30, "1 Gi"],
  [2 ** 60, "1024 Pi"],
])("%i bytes", (value, text) => {
  expect(bytes(value)).toBe(text);
});

test.each([
  [0.000_4, "400 µs"],
  [0.004, "4.0 ms"],
  [0.12, "120 ms"],
  [1.25, "1.3 s"],
])("a latency of %f", (seconds, text) => {
  expect(latency(seconds)).toBe(text);
});
