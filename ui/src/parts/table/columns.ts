import type { ReactNode } from "react";

export interface Column<Row> {
  id: string;
  header: string;
  /** What the column is sorted and filtered by. */
  value: (row: Row) => string | number | undefined;
  /** The value in the language of the page, where the value itself is a word of the API: shown on the facet, and found by the filter too. */
  word?: (row: Row) => string;
  /** What is shown; the value where this is left out. */
  cell?: (row: Row) => ReactNode;
  align?: "right";
  /** Long text is shown in full, on as many lines as it takes; for short lists, whose rows need not be of one height. */
  wraps?: boolean;
  /** Left out on windows below 720 px (`medium`) or 1100 px (`wide`). */
  hide?: "medium" | "wide";
}

export interface Sort {
  column: string;
  descending: boolean;
}

/** `age.desc` in a URL. */
export function parseSort(text: string | undefined): Sort | undefined {
  if (text === undefined || text === "") return undefined;
  const descending = text.endsWith(".desc");
  return { column: descending ? text.slice(0, -5) : text, descending };
}

export function formatSort(sort: Sort): string {
  return sort.descending ? `${sort.column}.desc` : sort.column;
}

const NATURAL = new Intl.Collator(undefined, { numeric: true });

/** Numbers by size, texts in their natural order, nothing last. */
export function compare(a: string | number | undefined, b: string | number | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return NATURAL.compare(String(a), String(b));
}

function textOf<Row>(column: Column<Row>, row: Row): string {
  const value = String(column.value(row) ?? "");
  const word = column.word?.(row) ?? value;
  return word === value ? value : `${value} ${word}`;
}

/** The text of every column of a row, by lower-case id, for the filter. */
export function cellsOf<Row>(columns: Column<Row>[], row: Row): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column.id.toLowerCase(), textOf(column, row)]));
}
