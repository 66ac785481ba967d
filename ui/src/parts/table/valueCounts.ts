/** How many rows of a list have each value of a column, counted on from the list before. */
import type { Column } from "./columns";
import { rowDifference } from "./rowDifference";

export interface ValueCount {
  value: string;
  /** The value in the language of the page. */
  word: string;
  count: number;
}

export class ValueCounts<Row> {
  private readonly column: Column<Row>;
  private rows: readonly Row[] = [];
  private counts = new Map<string, ValueCount>();
  private last: ValueCount[] = [];

  constructor(column: Column<Row>) {
    this.column = column;
  }

  /** In the order of the values; the same array while no count changes. */
  of(rows: readonly Row[]): ValueCount[] {
    const difference = rowDifference(this.rows, rows);
    this.rows = rows;
    if (difference === undefined) {
      this.counts = new Map();
      for (const row of rows) this.add(row, 1);
    } else {
      for (const row of difference.gone) this.add(row, -1);
      for (const { row } of difference.added) this.add(row, 1);
    }
    const counted = [...this.counts.values()].sort((a, b) => a.value.localeCompare(b.value));
    if (!areEqual(counted, this.last)) this.last = counted.map((one) => ({ ...one }));
    return this.last;
  }

  private add(row: Row, by: 1 | -1): void {
    const value = String(this.column.value(row) ?? "");
    const known = this.counts.get(value);
    if (known === undefined) this.counts.set(value, { value, word: this.column.word?.(row) ?? value, count: by });
    else if (known.count + by === 0) this.counts.delete(value);
    else known.count += by;
  }
}

function areEqual(a: ValueCount[], b: ValueCount[]): boolean {
  return a.length === b.length && a.every((one, index) => one.value === b[index]?.value && one.count === b[index].count);
}
