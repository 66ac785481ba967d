import { expect, test } from "vitest";
import { INITIAL_OPTIONS, isStaleness, pluginsOf, runOptions } from "./pipelinesOptions";

test("options that are the default are not sent", () => {
  expect(pluginsOf(INITIAL_OPTIONS)).toEqual({});
  expect(runOptions(undefined)).toEqual(INITIAL_OPTIONS);
});

test("options of a run are kept in its copy", () => {
  for (const windlass of [{ caching: false }, { max_cache_staleness: "P7D" }, { fail_fast: false, max_cache_staleness: "PT12H" }]) {
    expect(pluginsOf(runOptions({ windlass }))).toEqual({ plugins_input: { windlass } });
  }
});

test("without the cache no age is sent", () => {
  expect(pluginsOf({ caching: false, maxStaleness: "P7D", failFast: true })).toEqual({ plugins_input: { windlass: { caching: false } } });
});

test.each([
  ["", true],
  ["P7D", true],
  ["P1Y2M3W4DT5H6M7.5S", true],
  [" PT12H ", true],
  ["P", false],
  ["7D", false],
  ["p7d", false],
  ["one week", false],
])("whether %j is an age", (text, good) => {
  expect(isStaleness(text)).toBe(good);
});
