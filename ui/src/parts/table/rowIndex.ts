/** What a list shows of its rows, kept so that a change of a few rows of many costs little. */
import { cellsOf, compare, type Column, type Sort } from "./columns";
import { matchesFilter, parseFilter } from "./filter";
import { rowDifference } from "./rowDifference";

type Value = string | number | undefined;
type Compare<Row> = (a: Row, b: Row) => number;

/** Beyond this part of the rows, sorting all of them is cheaper than inserting those that are new. */
const FEW = 1 / 8;

/** Reads each row once: a row that has changed is another object. */
export class RowIndex<Row extends object> {
  private readonly columns: Column<Row>[];
  private readonly texts = new WeakMap<Row, Record<string, string>>();
  private query = "";
  private matching = new WeakMap<Row, boolean>();
  private keys = new WeakMap<Row, { value: Value }>();
  private sortedBy = "";
  /** What was sorted last, where each of its rows stands in it, and the result. */
  private source: Row[] = [];
  private places = new Map<Row, number>();
  private last: Row[] = [];

  constructor(columns: Column<Row>[]) {
    this.columns = columns;
  }

  /** The rows that match the filter, in order. */
  shown(rows: Row[], query: string, sort: Sort | undefined): Row[] {
    const filtered = this.filtered(rows, query);
    const column = this.columns.find((one) => one.id === sort?.column);
    return sort === undefined || column === undefined ? filtered : this.sorted(filtered, column, sort.descending);
  }

  private filtered(rows: Row[], query: string): Row[] {
    const terms = parseFilter(query);
    if (terms.length === 0) return rows;
    if (this.query !== query) {
      this.query = query;
      this.matching = new WeakMap();
    }
    return rows.filter((row) => {
      const known = this.matching.get(row) ?? matchesFilter(terms, this.textOf(row));
      this.matching.set(row, known);
      return known;
    });
  }

  private sorted(rows: Row[], column: Column<Row>, descending: boolean): Row[] {
    const sortedBy = `${column.id} ${descending}`;
    if (this.sortedBy !== sortedBy) {
      this.sortedBy = sortedBy;
      this.keys = new WeakMap();
      this.source = this.last = [];
      this.places = new Map();
    }
    const added = this.moveTo(rows);
    const order: Compare<Row> = (a, b) =>
      compareKeys(this.keyOf(a, column), this.keyOf(b, column), descending) || (this.places.get(a) ?? 0) - (this.places.get(b) ?? 0);
    this.last = added.length > rows.length * FEW ? rows.slice().sort(order) : inserted(this.last, added.sort(order), order);
    return this.last;
  }

  /** Leaves those rows in the last result that are still there, and answers the others. */
  private moveTo(rows: Row[]): Row[] {
    const difference = rowDifference(this.source, rows);
    this.source = rows;
    if (difference !== undefined) {
      const { added, gone } = difference;
      for (const row of gone) this.places.delete(row);
      for (const { row, place } of added) this.places.set(row, place);
      if (gone.size > 0) this.last = this.last.filter((row) => !gone.has(row));
      return added.map(({ row }) => row);
    }
    const before = this.places;
    this.places = new Map(rows.map((row, place) => [row, place]));
    this.last = this.last.filter((row) => this.places.has(row));
    return rows.filter((row) => !before.has(row));
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

/** Two sorted lists as one; a few `added` are compared with few of those that are `kept`. */
function inserted<Row>(kept: Row[], added: Row[], order: Compare<Row>): Row[] {
  if (added.length === 0) return kept;
  const all: Row[] = [];
  let from = 0;
  for (const row of added) {
    const to = placeOf(kept, row, order, from);
    for (let next = from; next < to; next++) all.push(kept[next] as Row);
    all.push(row);
    from = to;
  }
  for (let next = from; next < kept.length; next++) all.push(kept[next] as Row);
  return all;
}

/** Where a row belongs in a sorted list, at `low` or later. */
function placeOf<Row>(sorted: Row[], row: Row, order: Compare<Row>, low: number): number {
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(sorted[middle] as Row, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
