import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { foldsOf, rowAt, rowsOf, type FoldRow } from "./folds";
import type { SourcedLine } from "./lines";
import { LogRow } from "./LogRow";
import type { LogOptions } from "./LogToolbar";
import type { Pane } from "./LogView";
import styles from "./LogView.module.css";

const LINE_HEIGHT = 20;
const OVERSCAN = 30;
/** This close to the end counts as being there. */
const END_PX = 30;

interface LogPaneProps {
  pane: Pane;
  options: LogOptions;
  /** Whether it is the only pane: it has no head then. */
  isAlone: boolean;
  label: string;
  matchIndex: number | undefined;
  target: { source: string | undefined; number: number } | undefined;
  onFollow: (follows: boolean) => void;
}

/** The lines that are not folded away. A line that is searched for or linked to is never hidden. Lines of several logs do not fold. */
function useFolds(pane: Pane, query: string, targetIndex: number): { rows: FoldRow[]; toggle: (head: number, isFolded: boolean) => void } {
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(new Map());
  const { lines, prefixes } = pane;
  const folds = useMemo(() => (prefixes === undefined ? foldsOf(lines) : []), [lines, prefixes]);
  const rows = useMemo(
    () => rowsOf(lines.length, folds, chosen, (fold) => query !== "" || (fold.head < targetIndex && targetIndex <= fold.last)),
    [lines, folds, chosen, query, targetIndex],
  );
  const toggle = useCallback((head: number, isFolded: boolean) => setChosen((before) => new Map(before).set(head, isFolded)), []);
  return { rows, toggle };
}

/** The lines of one pane; only those in sight are on the page. */
export function LogPane({ pane, options, isAlone, label, matchIndex, target, onFollow }: LogPaneProps) {
  const words = useWords().viewers.logs;
  const scroller = useRef<HTMLDivElement>(null);
  const { lines } = pane;
  const targetIndex = useMemo(() => (target === undefined ? -1 : lines.findIndex((line) => isTarget(line, target))), [lines, target]);
  const { rows, toggle } = useFolds(pane, options.query, targetIndex);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: OVERSCAN,
  });
  const follows = options.follows && target === undefined;
  useEffect(() => {
    if (follows && rows.length > 0) virtualizer.scrollToIndex(rows.length - 1, { align: "end" });
  }, [follows, rows, virtualizer, options.wraps]);
  const matchRow = matchIndex === undefined ? -1 : rowAt(rows, matchIndex);
  useEffect(() => {
    if (matchRow >= 0) virtualizer.scrollToIndex(matchRow, { align: "center" });
  }, [matchRow, virtualizer]);
  const targetRow = targetIndex < 0 ? -1 : rowAt(rows, targetIndex);
  useEffect(() => {
    if (targetRow >= 0) virtualizer.scrollToIndex(targetRow, { align: "center" });
  }, [targetRow, virtualizer]);
  const scrolled = () => {
    const element = scroller.current;
    if (element === null || !options.follows) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
    if (!isAtEnd) onFollow(false);
  };
  return (
    <section className={styles.pane} aria-label={label}>
      {!isAlone && (
        <header className={styles.paneHead}>
          <span className={styles.paneName}>{pane.label}</span>
          <span className={styles.count}>{words.lines(lines.length)}</span>
        </header>
      )}
      <div
        ref={scroller}
        className={[styles.lines, options.wraps && styles.wraps].filter(Boolean).join(" ")}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={label}
        onWheel={scrolled}
        onTouchMove={scrolled}
        onKeyUp={scrolled}
      >
        <div className={styles.all} style={{ height: virtualizer.getTotalSize() }}>
          <div style={{ transform: `translateY(${virtualizer.getVirtualItems()[0]?.start ?? 0}px)` }}>
            {virtualizer.getVirtualItems().map((item) => {
              const row = rows[item.index];
              const line = row && lines[row.index];
              return (
                line && (
                  <LogRow
                    key={item.key}
                    fold={row.fold}
                    onFold={toggle}
                    index={item.index}
                    measure={virtualizer.measureElement}
                    line={line}
                    prefix={pane.prefixes?.get(line.source)}
                    options={options}
                    isCurrent={item.index === matchRow}
                    isTarget={item.index === targetRow}
                    anchor={isAlone && pane.prefixes === undefined ? `L${line.number}` : `${line.source}:L${line.number}`}
                  />
                )
              );
            })}
          </div>
        </div>
        <Note pane={pane} />
      </div>
      {!options.follows && pane.phase === "open" && (
        <span className={styles.jump}>
          <Button small icon="down" label={words.jump} onPress={() => onFollow(true)} />
        </span>
      )}
    </section>
  );
}

const isTarget = (line: SourcedLine, target: { source: string | undefined; number: number }): boolean =>
  line.number === target.number && (target.source === undefined || target.source === line.source);

function Note({ pane }: { pane: Pane }) {
  const words = useWords().viewers.logs;
  if (pane.problem !== undefined) return <p className={styles.problem}>{pane.problem}</p>;
  if (pane.lines.length > 0) return pane.phase === "ended" ? <p className={styles.note}>{words.ended}</p> : null;
  return <p className={styles.note}>{pane.phase === "loading" ? words.waiting : words.empty}</p>;
}
