import type { ReactNode } from "react";
import { useWords } from "../../words";
import type { Column, Sort } from "./columns";
import { SortChoice } from "./SortChoice";
import { TableToolbar } from "./TableToolbar";
import { useList } from "./useList";
import styles from "./DataTable.module.css";

interface FilteredListProps<Row> {
  rows: Row[];
  /** By which they are filtered and ordered, as in a table. */
  columns: Column<Row>[];
  /** Of a list inside a page: the name under which its state is in the URL. */
  inside?: string;
  facet?: string;
  initialSort?: Sort;
  /** Whether the order may be chosen; not where it means something, as in a tree. */
  sortable?: boolean;
  /** Further controls beside the filter. */
  controls?: ReactNode;
  /** Draws the rows that are left, in order. */
  children: (shown: Row[]) => ReactNode;
}

/** A list that is no table, such as cards: filtered and ordered as one, by the same part of the URL. */
export function FilteredList<Row extends object>({ rows, columns, inside, facet, initialSort, sortable, controls, children }: FilteredListProps<Row>) {
  const words = useWords();
  const { shown, sort, setSort, toolbar } = useList({ rows, columns, inside, facet, initialSort });
  return (
    <div>
      {toolbar && (
        <TableToolbar {...toolbar}>
          {controls}
          {sortable && <SortChoice columns={columns} sort={sort} onSort={setSort} />}
        </TableToolbar>
      )}
      {children(shown)}
      {shown.length === 0 && rows.length > 0 && <p className={styles.nothing}>{words.common.noMatch}</p>}
    </div>
  );
}
