import { useMemo, type ReactNode } from "react";
import { useWords } from "../../words";
import type { Column, Sort } from "./columns";
import { TableBody } from "./TableBody";
import { TableHead } from "./TableHead";
import { TableToolbar } from "./TableToolbar";
import { useRows } from "./useRows";
import { useTableState } from "./useTableState";
import styles from "./DataTable.module.css";

interface DataTableProps<Row> {
  /** Read out as the name of the table. */
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  idOf: (row: Row) => string;
  /** The column whose values are offered, with their counts, as filters. */
  facet?: string | undefined;
  initialSort?: Sort;
  actions?: (row: Row) => ReactNode;
  /** Without filter and counts, for a short list inside a page. */
  plain?: boolean;
}

/** A list: filtered, sorted, virtual past 100 rows, its state in the URL. */
export function DataTable<Row extends object>({ label, rows, columns, idOf, facet, initialSort, actions, plain }: DataTableProps<Row>) {
  const words = useWords();
  const state = useTableState();
  const query = plain ? "" : state.query;
  const sort = (plain ? undefined : state.sort) ?? initialSort;
  const shown = useRows(rows, columns, query, sort);
  const facetColumn = useMemo(() => columns.find((column) => column.id === facet), [columns, facet]);
  return (
    <div>
      {!plain && (
        <TableToolbar rows={rows} shown={shown.length} facet={facetColumn} query={query} onQuery={state.setQuery} />
      )}
      <TableBody
        label={label}
        rows={shown}
        columns={columns}
        idOf={idOf}
        actions={actions}
        bounded={!plain}
        head={<TableHead columns={columns} sort={sort} onSort={plain ? undefined : state.setSort} hasActions={actions !== undefined} />}
      />
      {shown.length === 0 && rows.length > 0 && <p className={styles.nothing}>{words.common.noMatch}</p>}
    </div>
  );
}
