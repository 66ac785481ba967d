/** What plots draw: series aligned to one x axis, smoothed, thinned out. Pure. */

export interface PlotSeries {
  id: string;
  label: string;
  /** Ascending. */
  x: number[];
  y: (number | null)[];
  /** When each point was, in seconds since 1970, where x counts something else. */
  times?: number[];
  /** Its place in the palette, where it keeps its colour in several plots; its place in the plot where this is left out. */
  colour?: number;
  /** For another series of the same colour. */
  isDashed?: boolean;
}

const COLOURS = 8;

/** The token of a place in the palette, which begins again after its last colour. */
export const colourToken = (place: number): string => `--series-${(place % COLOURS) + 1}`;

/** Exponential moving average, corrected for its start as TensorBoard does; 0 leaves the values as they are. */
export function smooth(values: (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return values;
  let last = 0;
  let count = 0;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return value;
    last = last * weight + (1 - weight) * value;
    count += 1;
    return last / (1 - weight ** count);
  });
}

/** At most `limit` points that keep the shape: of each bucket the one that makes the largest triangle with its neighbours. */
export function downsample(series: PlotSeries, limit: number): PlotSeries {
  const points = series.x.flatMap((x, index) => {
    const y = series.y[index];
    return y === null || y === undefined ? [] : [{ x, y }];
  });
  if (points.length <= limit || limit < 3) return series;
  const kept = [points[0]];
  const size = (points.length - 2) / (limit - 2);
  let previous = 0;
  for (let bucket = 0; bucket < limit - 2; bucket++) {
    const from = Math.floor(bucket * size) + 1;
    const to = Math.floor((bucket + 1) * size) + 1;
    const after = points.slice(to, Math.max(to + 1, Math.min(Math.floor((bucket + 2) * size) + 1, points.length)));
    previous = largest(points, from, to, previous, mean(after));
    kept.push(points[previous]);
  }
  kept.push(points.at(-1));
  const all = kept.filter((point) => point !== undefined);
  return { ...series, x: all.map((point) => point.x), y: all.map((point) => point.y) };
}

interface Point {
  x: number;
  y: number;
}

function mean(points: Point[]): Point {
  const sum = points.reduce((total, point) => ({ x: total.x + point.x, y: total.y + point.y }), { x: 0, y: 0 });
  return { x: sum.x / points.length, y: sum.y / points.length };
}

function largest(points: Point[], from: number, to: number, previous: number, next: Point): number {
  const base = points[previous] ?? next;
  let best = from;
  let area = -1;
  for (let index = from; index < to; index++) {
    const point = points[index];
    if (point === undefined) break;
    const size = Math.abs((base.x - next.x) * (point.y - base.y) - (base.x - point.x) * (next.y - base.y));
    if (size > area) [best, area] = [index, size];
  }
  return best;
}

/** All series over the union of their x values; null where a series has no value. */
export function align(series: PlotSeries[]): [number[], ...(number | null)[][]] {
  const xs = [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b);
  const place = new Map(xs.map((x, index) => [x, index]));
  const columns = series.map((one) => {
    const column: (number | null)[] = new Array<number | null>(xs.length).fill(null);
    one.x.forEach((x, index) => {
      const at = place.get(x);
      if (at !== undefined) column[at] = one.y[index] ?? null;
    });
    return column;
  });
  return [xs, ...columns];
}

/**
 * The index nearest to `from` where a series has a value, if it has values on both sides: series that are drawn together seldom have
 * all their x in common. Null before its first and after its last value.
 */
export function nearestValue(values: ArrayLike<number | null | undefined>, from: number): number | null {
  const has = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  let before = from;
  while (before >= 0 && !has(before)) before--;
  let after = from;
  while (after < values.length && !has(after)) after++;
  if (before < 0 || after >= values.length) return null;
  return from - before <= after - from ? before : after;
}

/** What a log axis cannot show is left out. */
export const positiveOnly = (values: (number | null)[]): (number | null)[] =>
  values.map((value) => (value !== null && value > 0 ? value : null));

/** Four significant digits; large and small ones with an exponent. */
export function compactNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

/** Cores as Kubernetes writes them: `1.5`, `250m`. */
export function coresText(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return value === 0 || value >= 1 ? String(Number(value.toPrecision(3))) : `${Number((value * 1000).toPrecision(3))}m`;
}

/** Bytes as Kubernetes writes them. */
export function bytesText(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const units = ["B", "Ki", "Mi", "Gi", "Ti"];
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), units.length - 1);
  return `${Number((value / 1024 ** power).toPrecision(4))} ${units[power] ?? ""}`;
}
