/** Where the blocks of the timeline are drawn. Pure. */
import type { Block, TimelineView } from "../../../kinds/generated";

export const LABEL_WIDTH = 120;
export const LANE_HEIGHT = 18;
const LANE_GAP = 3;
const NODE_GAP = 10;
const AXIS = 22;

export interface NodeBand {
  name: string;
  top: number;
  height: number;
}

export interface Layout {
  height: number;
  bands: NodeBand[];
  x: (time: string) => number;
  top: (block: Block) => number;
}

const MIN_SPAN_MS = 600_000;
const MARGIN = 0.05;

export interface Span {
  start: number;
  end: number;
}

/** The time that the chart shows: that of the blocks and of now with a margin, within what the view covers. */
export function spanOf(view: TimelineView): Span {
  const now = Date.parse(view.now);
  const first = Math.min(now, ...view.blocks.map((block) => Date.parse(block.start)));
  const last = Math.max(now, ...view.blocks.map((block) => Date.parse(block.end)));
  const margin = Math.max((last - first) * MARGIN, (MIN_SPAN_MS - (last - first)) / 2);
  return { start: Math.max(Date.parse(view.start), first - margin), end: Math.min(Date.parse(view.end), last + margin) };
}

export function layout(view: TimelineView, width: number): Layout {
  const { start, end } = spanOf(view);
  const span = Math.max(1, end - start);
  const bands: NodeBand[] = [];
  let top = AXIS;
  for (const node of view.nodes) {
    const height = Math.max(1, node.lanes) * (LANE_HEIGHT + LANE_GAP);
    bands.push({ name: node.name, top, height });
    top += height + NODE_GAP;
  }
  const topOf = new Map(bands.map((band) => [band.name, band.top]));
  return {
    height: top,
    bands,
    x: (time) => LABEL_WIDTH + (Math.min(Math.max(Date.parse(time) - start, 0), span) / span) * (width - LABEL_WIDTH),
    top: (block) => (topOf.get(block.node) ?? AXIS) + block.lane * (LANE_HEIGHT + LANE_GAP),
  };
}

const STEPS_MS = [60_000, 300_000, 900_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000];

/** Round times between start and end, at most about `count`. */
export function ticks({ start: from, end: to }: Span, count: number): Date[] {
  const step = STEPS_MS.find((size) => (to - from) / size <= count) ?? STEPS_MS.at(-1) ?? 86_400_000;
  const first = Math.ceil(from / step) * step;
  const marks: Date[] = [];
  for (let time = first; time < to; time += step) marks.push(new Date(time));
  return marks;
}

/** A number of the plot colours for a gang, the same for all of its blocks. */
export function seriesOf(id: string): number {
  let hash = 0;
  for (const letter of id) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return (hash % 7) + 1;
}
