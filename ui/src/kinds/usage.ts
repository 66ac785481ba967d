/** Measured use as series of a plot. Pure. */
import type { PlotSeries } from "../parts/plot/series";
import type { MetricPoint } from "./generated";

/** A series for each node or pod, in the order of the answer; pods of one namespace are named without it. */
export function seriesOf(points: MetricPoint[]): PlotSeries[] {
  const byLabel = new Map<string, PlotSeries>();
  for (const { label, timestamp, value } of points) {
    const series = byLabel.get(label) ?? { id: label, label, x: [], y: [] };
    series.x.push(timestamp);
    series.y.push(value);
    byLabel.set(label, series);
  }
  const all = [...byLabel.values()];
  const namespaces = new Set(all.map((one) => namespaceOf(one.label)));
  return namespaces.size > 1 ? all : all.map((one) => ({ ...one, label: one.label.slice(one.label.indexOf("/") + 1) }));
}

/** Whether there are enough points to draw a line. */
export const isDrawable = (points: MetricPoint[]): boolean => new Set(points.map((one) => one.timestamp)).size > 1;

const namespaceOf = (label: string): string => label.slice(0, label.indexOf("/") + 1);

/** A part of a whole: `7 %`, `0.4 %`. */
export const percentText = (part: number | null): string => (part === null ? "–" : `${Number((part * 100).toPrecision(part < 0.1 ? 1 : 2))} %`);
