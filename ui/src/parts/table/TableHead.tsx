import { useWords } from "../../words";
import { Icon } from "../Icon";
import type { Column, Sort } from "./columns";
import { cellClass } from "./TableBody";
import styles from "./DataTable.module.css";

interface TableHeadProps<Row> {
  columns: Column<Row>[];
  sort: Sort | undefined;
  /** Without it the columns cannot be sorted. */
  onSort: ((sort: Sort) => void) | undefined;
  hasActions: boolean;
  /** The actions of a row are one button. */
  hasMenu?: boolean;
}

export function TableHead<Row>({ columns, sort, onSort, hasActions, hasMenu = false }: TableHeadProps<Row>) {
  const words = useWords();
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const direction = sort?.column === column.id ? (sort.descending ? "descending" : "ascending") : undefined;
          return (
            <th key={column.id} scope="col" data-column={column.id} className={cellClass(column)} aria-sort={direction ?? "none"}>
              {onSort === undefined ? (
                column.header
              ) : (
                <button
                  type="button"
                  className={styles.sorter}
                  onClick={() => onSort({ column: column.id, descending: direction === "ascending" })}
                >
                  {column.header}
                  {direction && <Icon name={direction === "ascending" ? "up" : "down"} size={12} />}
                </button>
              )}
            </th>
          );
        })}
        {hasActions && (
          <th scope="col" className={[styles.actionCell, hasMenu && styles.menuCell].filter(Boolean).join(" ")}>
            <span className="visually-hidden">{words.common.actions}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
