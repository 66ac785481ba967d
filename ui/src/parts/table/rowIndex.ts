/** What a list shows of its rows, kept so that a change of a few rows of many costs little. */
import { cellsOf, compare, type Column, type Sort } from "./columns";
import { matchesFilter, parseFilter } from "./filter";

type Value = string | number | undefined;
type Compare<Row> = (a: Row, b: Row) => number;

/** Beyond this part of the rows, sorting all of them is cheaper than inserting those that are new. */
const FEW = 1 / 8;

/** Reads each row once: a row that has changed is another object. */
export class RowIndex<Row extends object> {
  private readonly columns: Column<Row>[];
  private readonly texts = new WeakMap<Row, Record<string, string>>();
  private keys = new WeakMap<Row, { value: Value }>();
  private sortedBy = "";
  private last: Row[] = [];

  constructor(columns: Column<Row>[]) {
    this.columns = columns;
  }

  /** The rows that match the filter, in order. */
  shown(rows: Row[], query: string, sort: Sort | undefined): Row[] {
    const terms = parseFilter(query);
    const filtered = terms.length === 0 ? rows : rows.filter((row) => matchesFilter(terms, this.textOf(row)));
    const column = this.columns.find((one) => one.id === sort?.column);
    return sort === undefined || column === undefined ? filtered : this.sorted(filtered, column, sort.descending);
  }

  private sorted(rows: Row[], column: Column<Row>, descending: boolean): Row[] {
    const sortedBy = `${column.id} ${descending}`;
    if (this.sortedBy !== sortedBy) {
      this.sortedBy = sortedBy;
      this.keys = new WeakMap();
      this.last = [];
    }
    const places = new Map(rows.map((row, place) => [row, place]));
    const placeOf = (row: Row) => places.get(row) ?? 0;
    const order: Compare<Row> = (a, b) => compareKeys(this.keyOf(a, column), this.keyOf(b, column), descending) || placeOf(a) - placeOf(b);
    // Rows that were there before are in order already; the few that are new or have changed are inserted.
    const kept = this.last.filter((row) => places.has(row));
    const before = new Set(kept);
    const added = rows.filter((row) => !before.has(row)).sort(order);
    this.last = added.length > rows.length * FEW ? rows.slice().sort(order) : inserted(kept, added, order);
    return this.last;
  }

  private keyOf(row: Row, column: Column<Row>): Value {
    const known = this.keys.get(row) ?? { value: column.value(row) };
    this.keys.set(row, known);
    return known.value;
  }

  private textOf(row: Row): Record<string, string> {
    const known = this.texts.get(row) ?? cellsOf(this.columns, row);
    this.texts.set(row, known);
    return known;
  }
}

/** What has no value comes last in both directions. */
function compareKeys(a: Value, b: Value, descending: boolean): number {
  if (a === undefined || b === undefined || !descending) return compare(a, b);
  return -compare(a, b);
}

/** Two sorted lists as one. */
function inserted<Row>(kept: Row[], added: Row[], order: Compare<Row>): Row[] {
  if (added.length === 0) return kept;
  const all: Row[] = [];
  let next = 0;
  for (const row of kept) {
    for (let one = added[next]; one !== undefined && order(one, row) < 0; one = added[next]) {
      all.push(one);
      next++;
    }
    all.push(row);
  }
  return [...all, ...added.slice(next)];
}
