import { expect, test } from "vitest";
import { cellsOf, compare, formatSort, parseSort, type Column } from "./columns";
import { matchesFilter, parseFilter, termOf, withTerm } from "./filter";

const CELLS = { name: "bert-large", state: "Failed", kind: "PyTorchJob" };

test.each([
  ["", true],
  ["bert", true],
  ["BERT", true],
  ["state:failed", true],
  ["state:running", false],
  ["state:failed kind:pytorch", true],
  ["state:failed kind:tfjob", false],
  ["bert missing", false],
  ['"bert-large"', true],
  ['kind:"pytorchjob"', true],
  ["pod:9090", false],
])("the filter %s", (query, matches) => {
  expect(matchesFilter(parseFilter(query), CELLS)).toBe(matches);
});

test("an unknown column is part of the text", () => {
  expect(matchesFilter(parseFilter("http:8080"), { ports: "http:8080" })).toBe(true);
});

test.each([
  ["", "state", "Failed", "state:Failed"],
  ["bert", "state", "Failed", "state:Failed bert"],
  ["state:Running bert", "state", "Failed", "state:Failed bert"],
  ['state:"Not ready" bert', "state", undefined, "bert"],
  ["", "state", "Not ready", 'state:"Not ready"'],
])("%s with %s:%s", (query, column, value, expected) => {
  expect(withTerm(query, column, value)).toBe(expected);
});

test("what is put into the query is found in it", () => {
  expect(termOf(withTerm("bert", "state", "Not ready"), "state")).toBe("not ready");
  expect(termOf("bert", "state")).toBeUndefined();
});

test("numbers are in order of size, texts in their natural one, nothing last", () => {
  expect([10, 9, undefined, 1].sort(compare)).toEqual([1, 9, 10, undefined]);
  expect(["worker-10", "worker-9"].sort(compare)).toEqual(["worker-9", "worker-10"]);
  expect(compare(undefined, undefined)).toBe(0);
  expect([undefined, "a"].map((value) => compare(value, "b"))).toEqual([1, -1]);
});

test.each([
  [undefined, undefined],
  ["", undefined],
  ["age", { column: "age", descending: false }],
  ["age.desc", { column: "age", descending: true }],
])("the order %s", (text, sort) => {
  expect(parseSort(text)).toEqual(sort);
  if (sort !== undefined) expect(formatSort(sort)).toBe(text);
});

test("a word of the API is found by its translation too", () => {
  const columns: Column<{ state: string }>[] = [{ id: "state", header: "State", value: (row) => row.state, word: () => "失败" }];
  const cells = cellsOf(columns, { state: "Failed" });

  expect(["state:failed", "state:失败", "失败"].map((query) => matchesFilter(parseFilter(query), cells))).toEqual([true, true, true]);
});

test("cells are the texts of the values", () => {
  const columns: Column<{ n?: number }>[] = [{ id: "Count", header: "Count", value: (row) => row.n }];

  expect([cellsOf(columns, { n: 3 }), cellsOf(columns, {})]).toEqual([{ count: "3" }, { count: "" }]);
});
