import { useMemo } from "react";
import type { Column, Sort } from "./columns";
import { useRows } from "./useRows";
import { useTableState } from "./useTableState";

/** A list inside a page is filtered from so many rows on: fewer are seen at a glance. */
const FILTERED_FROM = 6;

interface ListOptions<Row> {
  rows: Row[];
  columns: Column<Row>[];
  /** Of a list inside a page: the name under which its state is in the URL. */
  inside?: string | undefined;
  facet?: string | undefined;
  initialSort?: Sort | undefined;
}

/** What a list shows of its rows, by the filter and the order in the URL, and what its toolbar needs; undefined where it needs none. */
export function useList<Row extends object>({ rows, columns, inside, facet, initialSort }: ListOptions<Row>) {
  const { query, sort: chosen, setQuery, setSort } = useTableState(inside);
  const sort = chosen ?? initialSort;
  const shown = useRows(rows, columns, query, sort);
  const facetColumn = useMemo(() => columns.find((column) => column.id === facet), [columns, facet]);
  const isFiltered = inside === undefined || query !== "" || rows.length >= FILTERED_FROM;
  const toolbar = isFiltered ? { rows, shown: shown.length, facet: facetColumn, query, onQuery: setQuery } : undefined;
  return { shown, sort, setSort, toolbar };
}
