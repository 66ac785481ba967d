import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useRef, type KeyboardEvent, type ReactNode } from "react";
import { useWords } from "../../words";
import { Icon } from "../Icon";
import { useIsDeleting } from "../overlay/pendingDeletes";
import type { Column } from "./columns";
import { useScrollAnchor } from "./useScrollAnchor";
import styles from "./DataTable.module.css";

const VIRTUAL_FROM = 100;
const ROW_HEIGHT = 41;
const OVERSCAN = 8;

interface TableBodyProps<Row> {
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  idOf: (row: Row) => string;
  actions: ((row: Row) => ReactNode) | undefined;
  bounded: boolean;
  head: ReactNode;
}

/** The rows; of a long list only those in sight, between two spacers. */
export function TableBody<Row extends object>({ label, rows, columns, idOf, actions, bounded, head }: TableBodyProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const isVirtual = rows.length > VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: rows.length,
    enabled: isVirtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    useFlushSync: false,
  });
  useScrollAnchor(scroller, rows, idOf, ROW_HEIGHT, isVirtual);
  const visible = isVirtual ? virtualizer.getVirtualItems() : undefined;
  const first = visible?.[0]?.index ?? 0;
  const last = visible?.at(-1)?.index ?? (isVirtual ? 0 : rows.length - 1);
  return (
    <div ref={scroller} className={[styles.scroller, (bounded || isVirtual) && styles.bounded, isVirtual && styles.virtual].filter(Boolean).join(" ")} tabIndex={0}>
      <table className={styles.table} aria-label={label} aria-rowcount={rows.length + 1}>
        {head}
        <tbody onKeyDown={moveBetweenRows}>
          <Spacer height={first * ROW_HEIGHT} />
          {rows.slice(first, last + 1).map((row, offset) => (
            <DrawnRow key={idOf(row)} id={idOf(row)} row={row} place={first + offset} columns={columns as Column<object>[]} actions={actions as ((row: object) => ReactNode) | undefined} />
          ))}
          <Spacer height={isVirtual ? (rows.length - 1 - last) * ROW_HEIGHT : 0} />
        </tbody>
      </table>
    </div>
  );
}

interface DrawnRowProps {
  id: string;
  row: object;
  place: number;
  columns: Column<object>[];
  actions: ((row: object) => ReactNode) | undefined;
}

/** A row is drawn again when it has changed, not when the list is scrolled. */
const DrawnRow = memo(function DrawnRow({ id, row, place, columns, actions }: DrawnRowProps) {
  const isDeleting = useIsDeleting(id);
  return (
    <tr aria-rowindex={place + 2} data-row={id} className={isDeleting ? styles.deleting : undefined}>
      {columns.map((column) => (
        <td key={column.id} className={cellClass(column)}>
          {column.cell === undefined ? (column.value(row) ?? "–") : column.cell(row)}
        </td>
      ))}
      {actions !== undefined && (
        <td className={styles.actionCell}>
          <span className={styles.rowActions}>{isDeleting ? <Deleting /> : actions(row)}</span>
        </td>
      )}
    </tr>
  );
});

/** Instead of what one can do with a row that is to be deleted; in a narrow window the word is only read out. */
function Deleting() {
  return (
    <span className={styles.deletingNote}>
      <Icon name="trash" />
      <span className={styles.deletingWord}>{useWords().common.isDeleting}</span>
    </span>
  );
}

/** Of one cell: one across all columns would make room for those that are hidden, too. */
function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className={styles.spacer} aria-hidden="true">
      <td style={{ height }} />
    </tr>
  );
}

export function cellClass(column: { align?: string; wraps?: boolean; hide?: "medium" | "wide" }): string | undefined {
  return [column.align === "right" && styles.right, column.wraps && styles.wraps, column.hide && styles[column.hide]].filter(Boolean).join(" ") || undefined;
}

/** The arrow keys go from the link of one row to that of the next. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const row = (event.target as HTMLElement).closest("tr");
  const next = event.key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
  const target = next?.querySelector<HTMLElement>("a, button");
  if (!target) return;
  event.preventDefault();
  target.focus();
}
