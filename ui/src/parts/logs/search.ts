/** Searching in logs. Pure. */
import type { AnsiSpan } from "./ansi";
import { parseAnsi } from "./ansi";

/** A line that has the text: which pane, and which of its lines. */
export interface Match {
  pane: number;
  index: number;
}

/** Every line of every pane that has the text, whatever the case. */
export function findMatches(panes: { plain: string }[][], query: string): Match[] {
  const wanted = query.toLowerCase();
  if (wanted === "") return [];
  const matches: Match[] = [];
  panes.forEach((lines, pane) => {
    lines.forEach((line, index) => {
      if (line.plain.toLowerCase().includes(wanted)) matches.push({ pane, index });
    });
  });
  return matches;
}

/** The place of the next match, after the last the first; -1 where there is none. */
export function step(count: number, current: number, by: 1 | -1): number {
  if (count === 0) return -1;
  if (current < 0) return by === 1 ? 0 : count - 1;
  return (current + by + count) % count;
}

export interface MarkedSpan extends AnsiSpan {
  isMatch: boolean;
}

/** The spans of a line, cut where the searched text begins and ends. */
export function markedSpans(text: string, query: string): MarkedSpan[] {
  const spans = parseAnsi(text);
  const wanted = query.toLowerCase();
  if (wanted === "") return spans.map((span) => ({ ...span, isMatch: false }));
  const plain = spans.map((span) => span.text).join("").toLowerCase();
  const ranges: [number, number][] = [];
  for (let at = plain.indexOf(wanted); at >= 0; at = plain.indexOf(wanted, at + wanted.length)) ranges.push([at, at + wanted.length]);
  const marked: MarkedSpan[] = [];
  let from = 0;
  for (const span of spans) {
    const to = from + span.text.length;
    const cuts = [from, ...ranges.flat().filter((cut) => cut > from && cut < to), to];
    for (let index = 0; index + 1 < cuts.length; index++) {
      const start = cuts[index] ?? from;
      const end = cuts[index + 1] ?? to;
      const isMatch = ranges.some(([low, high]) => start >= low && end <= high);
      marked.push({ ...span, text: span.text.slice(start - from, end - from), isMatch });
    }
    from = to;
  }
  return marked;
}
