/** Parts of a log that fold to one line: groups that a program marks, and the frames of long tracebacks. Pure. */

export interface Fold {
  /** The line that stays: which of the lines, from 0. */
  head: number;
  /** The last line that is hidden; the head itself where nothing has been written into the group yet. */
  last: number;
  /** What the program calls the group; empty for a traceback, whose first line says it. */
  title: string;
  /** Whether more lines may come into it. */
  isOpen: boolean;
}

export interface FoldRow {
  /** Which of the lines. */
  index: number;
  fold?: Fold & { isFolded: boolean };
}

const GROUP = /^(?:##\[group\]|::group::)(.*)$/;
const END = /^(?:##\[endgroup\]|::endgroup::)/;
const TRACEBACK = /^\s*Traceback \(most recent call last\):$/;
/** Shorter tracebacks are read faster than unfolded. */
const MIN_FRAMES = 8;

/** The folds of the lines of one log, in order; none is within another. As on GitHub, a group ends where the next begins. */
export function foldsOf(lines: { plain: string }[]): Fold[] {
  const folds: Fold[] = [];
  let index = 0;
  while (index < lines.length) {
    const fold = groupAt(lines, index) ?? tracebackAt(lines, index);
    if (fold !== undefined) folds.push(fold);
    index = (fold?.last ?? index) + 1;
  }
  return folds;
}

function groupAt(lines: { plain: string }[], head: number): Fold | undefined {
  const title = GROUP.exec(lines[head]?.plain ?? "")?.[1];
  if (title === undefined) return undefined;
  for (let index = head + 1; index < lines.length; index++) {
    const { plain = "" } = lines[index] ?? {};
    if (END.test(plain)) return { head, last: index, title, isOpen: false };
    if (GROUP.test(plain)) return { head, last: index - 1, title, isOpen: false };
  }
  return { head, last: lines.length - 1, title, isOpen: true };
}

/** The frames are hidden; the error after them stays. */
function tracebackAt(lines: { plain: string }[], head: number): Fold | undefined {
  if (!TRACEBACK.test(lines[head]?.plain ?? "")) return undefined;
  const indent = /^\s*/.exec(lines[head]?.plain ?? "")?.[0].length ?? 0;
  let last = head;
  while (last + 1 < lines.length && isFrame(lines[last + 1]?.plain ?? "", indent)) last++;
  const isOpen = last === lines.length - 1;
  return last - head >= MIN_FRAMES ? { head, last, title: "", isOpen } : undefined;
}

const isFrame = (line: string, indent: number): boolean => line.trim() === "" || /^\s/.test(line.slice(indent));

/** The lines that are shown, given the folds that a person has opened or closed, by the index of their head. Others are closed once complete. */
export function rowsOf(count: number, folds: Fold[], chosen: ReadonlyMap<number, boolean>, isUnfolded: (fold: Fold) => boolean): FoldRow[] {
  const rows: FoldRow[] = [];
  let index = 0;
  for (const fold of folds) {
    while (index < fold.head) rows.push({ index: index++ });
    const isFolded = !isUnfolded(fold) && (chosen.get(fold.head) ?? !fold.isOpen);
    rows.push({ index: index++, fold: { ...fold, isFolded } });
    if (isFolded) index = fold.last + 1;
  }
  while (index < count) rows.push({ index: index++ });
  return rows;
}

/** Where a line is among the rows; -1 where it is hidden. */
export function rowAt(rows: FoldRow[], index: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = rows[middle]?.index ?? 0;
    if (found === index) return middle;
    if (found < index) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
