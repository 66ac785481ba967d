import { expect, test } from "vitest";
import { rowDifference } from "./rowDifference";

const rows = (count: number): { id: number }[] => Array.from({ length: count }, (_, id) => ({ id }));

test("replaced and appended rows are found at their places", () => {
  const before = rows(40);
  const after = before.with(3, { id: 100 });
  after.push({ id: 101 });

  expect(rowDifference(before, after)).toEqual({ added: [{ row: { id: 100 }, place: 3 }, { row: { id: 101 }, place: 40 }], gone: new Set([before[3]]) });
});

test("a list of the same rows has no difference", () => {
  const before = rows(10);

  expect(rowDifference(before, before.slice())).toEqual({ added: [], gone: new Set() });
});

test.each([
  ["shorter", rows(10).slice(1)],
  ["another", rows(10)],
  ["much longer", rows(30)],
])("a list that is %s has none that is cheap", (_, after) => {
  expect(rowDifference(rows(10), after)).toBeUndefined();
});
