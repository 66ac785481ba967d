import { useMemo } from "react";
import type { Column, Sort } from "./columns";
import { RowIndex } from "./rowIndex";

/** The rows that the filter leaves, in order. */
export function useRows<Row extends object>(rows: Row[], columns: Column<Row>[], query: string, sort: Sort | undefined): Row[] {
  const index = useMemo(() => new RowIndex(columns), [columns]);
  const { column, descending } = sort ?? {};
  return useMemo(
    () => index.shown(rows, query, column === undefined ? undefined : { column, descending: descending ?? false }),
    [index, rows, query, column, descending],
  );
}
