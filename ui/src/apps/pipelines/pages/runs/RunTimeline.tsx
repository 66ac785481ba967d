import { useVirtualizer } from "@tanstack/react-virtual";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import type { GraphNode } from "../../kinds/graph/pipelinesGraph";
import { timelineRows, timelineSpan, timelineTicks, type TimelineRow } from "../../kinds/graph/pipelinesTimeline";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Icon } from "../../../../parts/Icon";
import { useNow } from "../../../../parts/text/Time";
import { duration } from "../../../../parts/text/times";
import { useSpeech } from "../../../../words";
import { useOpen } from "../tasks/GraphView";
import styles from "../Pipelines.module.css";

const ROW_HEIGHT = 28;
const TICKS = 8;

/** Tasks over time: a thin line while a task waited, a bar while it ran. */
export function RunTimeline({ nodes }: { nodes: GraphNode[] }) {
  const { words, language } = useSpeech();
  const own = words.pipelines;
  const isRunning = nodes.some((node) => node.state === "running");
  const now = useNow(isRunning ? Date.now() : undefined);
  const [open, toggle] = useOpen(nodes, undefined);
  const rows = useMemo(() => timelineRows(nodes, open, now), [nodes, open, now]);
  const span = useMemo(() => timelineSpan(rows), [rows]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_HEIGHT, overscan: 10, initialRect: { width: 800, height: 600 } });
  if (span === undefined) return <EmptyState icon="clock" sentence={own.run.noTimeline} />;
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? -1;
  return (
    <div ref={scroller} className={styles.timeline} role="group" aria-label={own.run.timeline} tabIndex={0}>
      <div className={styles.timelineHead}>
        <span />
        <div className={styles.track} aria-label={own.run.sinceStart}>
          {timelineTicks(span, TICKS).map((seconds) => (
            <span key={seconds} className={styles.tick} style={{ left: percent(span[0] + seconds * 1000, span) }}>
              {duration(seconds, language)}
            </span>
          ))}
        </div>
        <span />
      </div>
      <span className={styles.spacer} style={{ height: first * ROW_HEIGHT }} />
      {rows.slice(first, last + 1).map((row) => (
        <Row key={row.id} row={row} span={span} isOpen={open.has(row.id)} onToggle={toggle} />
      ))}
      <span className={styles.spacer} style={{ height: Math.max(0, rows.length - 1 - last) * ROW_HEIGHT }} />
    </div>
  );
}

const percent = (at: number, [from, to]: [number, number]): string => `${(Math.max(0, at - from) / (to - from)) * 100}%`;
const width = (from: number, to: number, span: [number, number]): string => `${(Math.max(0, to - from) / (span[1] - span[0])) * 100}%`;

interface RowProps {
  row: TimelineRow;
  span: [number, number];
  isOpen: boolean;
  onToggle: (id: string) => void;
}

function Row({ row, span, isOpen, onToggle }: RowProps) {
  const { words, language } = useSpeech();
  const own = words.pipelines;
  const navigate = useNavigate();
  const open = () => void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, tab: undefined, node: row.id }) });
  const { created, started, ended } = row;
  return (
    <div className={[styles.timelineRow, styles[row.state]].join(" ")}>
      <span className={styles.timelineName} style={{ paddingLeft: 8 + row.depth * 14 }}>
        {row.isGroup ? (
          <button type="button" className={styles.foldButton} aria-expanded={isOpen} aria-label={isOpen ? own.graph.fold(row.label) : own.graph.unfold(row.label)} onClick={() => onToggle(row.id)}>
            <Icon name={isOpen ? "down" : "right"} size={12} />
          </button>
        ) : (
          <span className={styles.foldButton} />
        )}
        <button type="button" onClick={open} title={row.label}>
          {row.label}
        </button>
      </span>
      <div className={styles.track}>
        {created !== undefined && started !== undefined && started > created && (
          <span className={styles.wait} style={{ left: percent(created, span), width: width(created, started, span) }} />
        )}
        {started !== undefined && ended !== undefined && (
          <span className={[styles.bar, row.isGroup && styles.groupBar].filter(Boolean).join(" ")} style={{ left: percent(started, span), width: width(started, ended, span) }} title={`${row.label}: ${own.nodeStates[row.state]}`} />
        )}
      </div>
      <span className={styles.took}>{started !== undefined && ended !== undefined && row.state !== "skipped" ? duration((ended - started) / 1000, language) : own.nodeStates[row.state]}</span>
    </div>
  );
}
