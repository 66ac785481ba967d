import { useContext, useEffect, useMemo, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { ClockContext, type Dial } from "./clock";
import { followClock } from "./followClock";
import type { PlotGroup } from "./group";
import { optionsOf, type Look } from "./options";
import { align, positiveOnly, smooth, type PlotSeries } from "./series";
import styles from "./Plot.module.css";
import { useSchemeVersion } from "./useSchemeVersion";

interface PlotCanvasProps {
  series: PlotSeries[];
  /** When each x was, where that is known. */
  dial: Dial | undefined;
  hidden: ReadonlySet<string>;
  x: { kind: "time" | "number"; label: string };
  format: (value: number | null) => string;
  height: number;
  group: PlotGroup;
}

/** uPlot as a component. With smoothing each series is drawn twice: as it is, faint, and smoothed. */
export function PlotCanvas({ series, dial, hidden, x, format, height, group }: PlotCanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const scheme = useSchemeVersion();
  const { syncKey, range, setRange, smoothing, hasLogAxis } = group;
  const data = useMemo(() => dataOf(series, smoothing, hasLogAxis), [series, smoothing, hasLogAxis]);
  const clock = useContext(ClockContext);
  const latest = useRef({ data, dial });
  useEffect(() => {
    latest.current = { data, dial };
  });
  const ids = series.map((one) => one.id).join("\n");
  const looks = JSON.stringify(series.map((one, index): Look => ({ name: one.label, colour: one.colour ?? index, isDashed: one.isDashed ?? false })));
  const kind = x.kind;
  const isSmoothed = smoothing > 0;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const options = optionsOf({ looks: JSON.parse(looks) as Look[], isSmoothed, hasLogAxis, kind, format, syncKey, width: element.clientWidth, height, setRange });
    const made = new uPlot(options, latest.current.data, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    const leaveClock = clock && followClock(made, clock, () => latest.current.dial);
    return () => {
      leaveClock?.();
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [ids, looks, isSmoothed, hasLogAxis, kind, format, syncKey, height, setRange, scheme, clock]);
  useEffect(() => {
    plot.current?.setData(data, range === undefined);
    if (range !== undefined) plot.current?.setScale("x", { min: range[0], max: range[1] });
  }, [data, range, scheme]);
  useEffect(() => {
    ids.split("\n").forEach((id, index, all) => {
      plot.current?.setSeries(index + 1, { show: !hidden.has(id) });
      if (isSmoothed) plot.current?.setSeries(all.length + index + 1, { show: !hidden.has(id) });
    });
  }, [hidden, ids, isSmoothed, hasLogAxis, scheme]);
  return <div ref={place} className={styles.canvas} style={{ height }} aria-hidden="true" />;
}

function dataOf(series: PlotSeries[], smoothing: number, hasLogAxis: boolean): uPlot.AlignedData {
  const clean = (one: PlotSeries): PlotSeries => (hasLogAxis ? { ...one, y: positiveOnly(one.y) } : one);
  const raw = series.map(clean);
  if (smoothing <= 0) return align(raw);
  const smoothed = raw.map((one) => ({ ...one, id: `${one.id} smoothed`, y: smooth(one.y, smoothing) }));
  return align([...raw, ...smoothed]);
}
