import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { Block, TimelineGang, TimelineView } from "../../../kinds/generated";
import { jobPath } from "../../training/kinds/jobStates";
import { useSpeech } from "../../../words";
import { LABEL_WIDTH, LANE_HEIGHT, layout, seriesOf, spanOf, ticks, type Layout } from "./ganttLayout";
import styles from "./queues.module.css";

const WIDTH = 1000;
const MIN_LABEL_PX = 44;

/** Nodes × time with gangs as blocks, a line for now, and the simulator's forecast dimmed to the right. */
export function Gantt({ view }: { view: TimelineView }) {
  const { words, language } = useSpeech();
  const places = useMemo(() => layout(view, WIDTH), [view]);
  const gangs = useMemo(() => new Map(view.gangs.map((gang) => [gang.id, gang])), [view.gangs]);
  const now = places.x(view.now);
  const frame = useNowInSight(now / WIDTH);
  return (
    <div ref={frame} className={styles.gantt} tabIndex={0} role="group" aria-label={words.queues.timeline}>
      <svg className={styles.svg} viewBox={`0 0 ${WIDTH} ${places.height}`} fontSize="11" fill="var(--ink-3)">
        {ticks(spanOf(view), 8).map((time) => {
          const x = places.x(time.toISOString());
          return (
            <g key={time.getTime()}>
              <line x1={x} x2={x} y1={16} y2={places.height} stroke="var(--line)" />
              <text x={x + 3} y={12}>
                {time.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })}
              </text>
            </g>
          );
        })}
        {places.bands.map((band) => (
          <text key={band.name} x={0} y={band.top + 13} fill="var(--ink-2)">
            {band.name.length > 18 ? `${band.name.slice(0, 17)}…` : band.name}
          </text>
        ))}
        {view.blocks.map((block) => (
          <GangBlock key={`${block.gang} ${block.node} ${block.start} ${block.state}`} block={block} gang={gangs.get(block.gang)} places={places} now={now} />
        ))}
        <line x1={now} x2={now} y1={4} y2={places.height} stroke="var(--state-failed)" strokeWidth="1.5" />
        <text x={Math.max(now + 4, LABEL_WIDTH)} y={places.height - 2} fill="var(--state-failed)">
          {words.queues.now}
        </text>
      </svg>
    </div>
  );
}

/** A frame that is narrower than the chart is scrolled to the line for now when it is first drawn. */
function useNowInSight(part: number): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  const [first] = useState(part);
  useEffect(() => {
    const box = frame.current;
    if (box !== null) box.scrollLeft = first * box.scrollWidth - box.clientWidth / 2;
  }, [first]);
  return frame;
}

interface GangBlockProps {
  block: Block;
  gang: TimelineGang | undefined;
  places: Layout;
  /** Where the line for now is: what runs is solid up to it, and dimmed after it. */
  now: number;
}

function GangBlock({ block, gang, places, now }: GangBlockProps) {
  const { words, language } = useSpeech();
  const navigate = useNavigate();
  const x = places.x(block.start);
  const width = Math.max(2, places.x(block.end) - x);
  const name = gang?.isOwn ? gang.job || gang.name : words.queues.others;
  const colour = gang?.isOwn ? `var(--series-${seriesOf(`${gang.kind}/${gang.namespace}/${gang.job || gang.name}`)})` : "var(--ink-3)";
  const time = (at: string) => new Date(at).toLocaleTimeString(language);
  const label = `${name}, ${block.node}, ${time(block.start)}–${time(block.end)}, ${words.queues.pods} ${block.pods}${block.state === "forecast" ? `, ${words.queues.forecast}` : ""}`;
  const open = gang?.isOwn && gang.kind !== "" ? () => void navigate({ to: jobPath({ ...gang, name: gang.job }) }) : undefined;
  return (
    <g
      role={open ? "link" : "img"}
      aria-label={label}
      tabIndex={open ? 0 : undefined}
      onClick={open}
      onKeyDown={(event) => event.key === "Enter" && open?.()}
      style={{ cursor: open ? "pointer" : "default" }}
    >
      <title>{label}</title>
      {block.state !== "past" && (
        <rect x={x} y={places.top(block)} width={width} height={LANE_HEIGHT} rx={3} fill={colour} fillOpacity={0.12} stroke={colour} strokeDasharray="4 3" />
      )}
      {block.state !== "forecast" && (
        <rect
          x={x}
          y={places.top(block)}
          width={block.state === "running" ? Math.max(2, Math.min(width, now - x)) : width}
          height={LANE_HEIGHT}
          rx={3}
          fill={colour}
          fillOpacity={block.state === "running" ? 0.9 : 0.35}
        />
      )}
      {width > MIN_LABEL_PX && (
        <text x={x + 5} y={places.top(block) + 13} fill="var(--ink)" pointerEvents="none">
          {name.slice(0, Math.floor((width - 8) / 6.5))}
        </text>
      )}
    </g>
  );
}
