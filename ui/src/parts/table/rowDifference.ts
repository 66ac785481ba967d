/** How a list differs from the one before it. Pure. */

export interface RowDifference<Row> {
  /** In the order of their places. */
  added: { row: Row; place: number }[];
  gone: Set<Row>;
}

/** Beyond this part of the rows, looking at all of them is cheaper than at each difference. */
const FEW = 1 / 8;

/**
 * Rows that were replaced at their place, and rows after the last place of the list before. A changed row is another object,
 * so that equal rows cost one comparison of references. Undefined where the list is shorter, or most of it is another.
 */
export function rowDifference<Row>(before: readonly Row[], rows: readonly Row[]): RowDifference<Row> | undefined {
  const limit = rows.length * FEW;
  if (rows.length < before.length || rows.length - before.length > limit) return undefined;
  const difference: RowDifference<Row> = { added: [], gone: new Set() };
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as Row;
    if (place < before.length) {
      if (row === before[place]) continue;
      difference.gone.add(before[place] as Row);
    }
    difference.added.push({ row, place });
    if (difference.added.length > limit) return undefined;
  }
  return difference;
}
