/** One cursor for plots over different axes: a moment of which each shows its own point. */
import { createContext } from "react";
import type { PlotSeries } from "./series";

type Listener = (moment: number | undefined) => void;

export class CursorClock {
  private readonly listeners = new Map<unknown, Listener>();

  /** `owner` is not notified of what it publishes itself. */
  subscribe(owner: unknown, listener: Listener): () => void {
    this.listeners.set(owner, listener);
    return () => this.listeners.delete(owner);
  }

  publish(owner: unknown, moment: number | undefined): void {
    for (const [one, listener] of this.listeners) if (one !== owner) listener(moment);
  }
}

export const ClockContext = createContext<CursorClock | undefined>(undefined);

/** Which x belongs to which second, ascending in both. */
export interface Dial {
  x: number[];
  seconds: number[];
}

/** Of the series that has times, the longest; undefined where none has. A step that was done again keeps its last time. Pure. */
export function dialOf(series: PlotSeries[], kind: "time" | "number"): Dial | undefined {
  const timed = series.filter((one) => (kind === "time" || one.times?.length === one.x.length) && one.x.length > 0);
  const longest = timed.sort((a, b) => b.x.length - a.x.length)[0];
  if (longest === undefined) return undefined;
  const seconds = (kind === "time" ? longest.x : (longest.times ?? [])).slice();
  for (let at = seconds.length - 2; at >= 0; at--) seconds[at] = Math.min(seconds[at] ?? 0, seconds[at + 1] ?? 0);
  return { x: longest.x, seconds };
}

/** The value of `to` where `from` is nearest to `wanted`; undefined before the first and after the last by more than `slack`. Pure. */
export function nearest(from: number[], to: number[], wanted: number, slack = 0): number | undefined {
  if (from.length === 0 || wanted < (from[0] ?? 0) - slack || wanted > (from.at(-1) ?? 0) + slack) return undefined;
  let low = 0;
  let high = from.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  const before = Math.max(0, low - 1);
  return Math.abs((from[before] ?? 0) - wanted) <= Math.abs((from[low] ?? 0) - wanted) ? to[before] : to[low];
}
