import { expect, test, vi } from "vitest";
import type { Column } from "./columns";
import { RowIndex } from "./rowIndex";

interface Row {
  name: string;
  size?: number;
}

const COLUMNS: Column<Row>[] = [
  { id: "name", header: "Name", value: (row) => row.name },
  { id: "size", header: "Size", value: (row) => row.size },
];
const names = (rows: Row[]) => rows.map((row) => row.name).join(" ");
const bySize = (descending = false) => ({ column: "size", descending });
const many = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ name: `r${index}`, size: (index * 7919) % count }));

test("rows are sorted, those without a value last in both directions", () => {
  const rows: Row[] = [{ name: "none" }, { name: "two", size: 2 }, { name: "one", size: 1 }];
  const index = new RowIndex(COLUMNS);

  expect(names(index.shown(rows, "", bySize()))).toBe("one two none");
  expect(names(index.shown(rows, "", bySize(true)))).toBe("two one none");
});

test("equal rows stay in their order", () => {
  const rows = ["b", "a", "c"].map((name) => ({ name, size: 1 }));

  expect(names(new RowIndex(COLUMNS).shown(rows, "", bySize(true)))).toBe("b a c");
});

test("what has changed is put into its place, and the result is that of sorting everything", () => {
  const index = new RowIndex(COLUMNS);
  let rows = many(500);
  index.shown(rows, "", bySize());
  rows = rows.map((row, at) => (at % 40 === 0 ? { ...row, size: (row.size ?? 0) / 2 } : row)).filter((_, at) => at % 90 !== 1);
  rows.push({ name: "new", size: 3.5 });

  expect(index.shown(rows, "", bySize())).toEqual(new RowIndex(COLUMNS).shown(rows, "", bySize()));
});

test("a row is read once", () => {
  const value = vi.fn((row: Row) => row.name);
  const index = new RowIndex([{ id: "name", header: "Name", value }]);
  const rows = many(50);
  for (const query of ["r1", "r2"]) index.shown(rows, query, { column: "name", descending: false });

  expect(value.mock.calls.length).toBeLessThanOrEqual(2 * rows.length);
});

test("filter and order go together", () => {
  const rows = [{ name: "b-1", size: 3 }, { name: "a-2", size: 1 }, { name: "b-2", size: 2 }];

  expect(names(new RowIndex(COLUMNS).shown(rows, "b", bySize()))).toBe("b-2 b-1");
});
