import { useLayoutEffect, useRef, type RefObject } from "react";

/** Keeps the row at the top of a scrolled list where it is when rows appear or go above it. */
export function useScrollAnchor<Row>(
  scroller: RefObject<HTMLDivElement | null>,
  rows: Row[],
  idOf: (row: Row) => string,
  rowHeight: number,
  enabled: boolean,
): void {
  const before = useRef<Row[]>(rows);
  useLayoutEffect(() => {
    const element = scroller.current;
    const previous = before.current;
    before.current = rows;
    if (!enabled || element === null || element.scrollTop === 0 || previous === rows) return;
    const top = Math.floor(element.scrollTop / rowHeight);
    const anchor = previous[top];
    if (anchor === undefined) return;
    const id = idOf(anchor);
    if (rows[top] !== undefined && idOf(rows[top]) === id) return;
    const now = rows.findIndex((row) => idOf(row) === id);
    if (now >= 0 && now !== top) element.scrollTop += (now - top) * rowHeight;
  }, [rows, idOf, rowHeight, enabled, scroller]);
}
