import type { ReactNode } from "react";
import { useWords } from "../../words";
import type { Column, Sort } from "./columns";
import { TableBody } from "./TableBody";
import { TableHead } from "./TableHead";
import { TableToolbar } from "./TableToolbar";
import { useList } from "./useList";
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
  /** The actions of a row are one button, which needs no more room. */
  hasMenu?: boolean;
  /** Of a list inside a page: the name under which its state is in the URL. It is as high as its rows, and filtered once there are some. */
  inside?: string;
}

/** A list: filtered, sorted, virtual past 100 rows, its state in the URL. */
export function DataTable<Row extends object>({ label, rows, columns, idOf, facet, initialSort, actions, hasMenu = false, inside }: DataTableProps<Row>) {
  const words = useWords();
  const { shown, sort, setSort, toolbar } = useList({ rows, columns, inside, facet, initialSort });
  return (
    <div>
      {toolbar && <TableToolbar {...toolbar} />}
      <TableBody
        label={label}
        rows={shown}
        columns={columns}
        idOf={idOf}
        actions={actions}
        bounded={inside === undefined}
        head={<TableHead columns={columns} sort={sort} onSort={setSort} hasActions={actions !== undefined} hasMenu={hasMenu} />}
      />
      {shown.length === 0 && rows.length > 0 && <p className={styles.nothing}>{words.common.noMatch}</p>}
    </div>
  );
}

/** Values that are no list, such as those of a plot: in the given order, all of them. */
export function PlainTable<Row extends object>({ label, rows, columns, idOf }: Pick<DataTableProps<Row>, "label" | "rows" | "columns" | "idOf">) {
  const head = <TableHead columns={columns} sort={undefined} onSort={undefined} hasActions={false} />;
  return <TableBody label={label} rows={rows} columns={columns} idOf={idOf} actions={undefined} bounded={false} head={head} />;
}
