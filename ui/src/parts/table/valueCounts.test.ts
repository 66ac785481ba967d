import { expect, test, vi } from "vitest";
import type { Column } from "./columns";
import { ValueCounts } from "./valueCounts";

interface Row {
  state: string;
}

const column = (): Column<Row> & { value: ReturnType<typeof vi.fn> } => ({ id: "state", header: "State", value: vi.fn((row: Row) => row.state), word: (row) => row.state.toUpperCase() });
const many = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ state: index % 2 === 0 ? "Running" : "Failed" }));
const shown = (counts: ValueCounts<Row>, rows: Row[]) => counts.of(rows).map(({ word, count }) => `${word} ${count}`);

test("values are counted in order, with their words", () => {
  expect(shown(new ValueCounts(column()), many(5))).toEqual(["FAILED 2", "RUNNING 3"]);
});

test("only what has changed is counted again, and the result is that of counting everything", () => {
  const state = column();
  const counts = new ValueCounts(state);
  const rows = many(100);
  counts.of(rows);
  state.value.mockClear();
  const after = rows.with(0, { state: "Pending" });

  expect(shown(counts, after)).toEqual(shown(new ValueCounts(column()), after));
  expect(state.value).toHaveBeenCalledTimes(2);
});

test("a value without rows is left out", () => {
  const counts = new ValueCounts(column());
  const rows = [...many(40).map(() => ({ state: "Running" })), { state: "Failed" }];
  counts.of(rows);

  expect(shown(counts, rows.with(40, { state: "Running" }))).toEqual(["RUNNING 41"]);
  expect(shown(counts, [])).toEqual([]);
});

test("counts that stay are the same array", () => {
  const counts = new ValueCounts(column());
  const rows = many(40);

  expect(counts.of(rows.with(0, { state: "Running" }))).toBe(counts.of(rows));
});
