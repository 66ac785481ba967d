/** uPlot's options in the colours of the tokens. */
import uPlot from "uplot";

interface Wanted {
  names: string[];
  isSmoothed: boolean;
  hasLogAxis: boolean;
  kind: "time" | "number";
  format: (value: number | null) => string;
  syncKey: string;
  width: number;
  height: number;
  setRange: (range: [number, number] | undefined) => void;
}

const SERIES_COLOURS = 8;
const MIN_DRAG_PX = 6;
/** uPlot declares its scales' kinds as a constant enumeration, which isolated modules cannot read. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
const LOG_SCALE: uPlot.Scale = { distr: 3 };

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const TIME_LABEL_PX = 64;

/** 24-hour clock: seconds only where the marks are closer than a minute. */
export function clockTexts(_: unknown, seconds: number[]): string[] {
  const step = (seconds[1] ?? 0) - (seconds[0] ?? 0);
  const shape: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...(step < 60 ? { second: "2-digit" } : {}) };
  return seconds.map((second) => new Date(second * 1000).toLocaleTimeString(undefined, shape));
}

export function optionsOf(wanted: Wanted): uPlot.Options {
  const { names, isSmoothed, hasLogAxis, kind, format, syncKey, width, height, setRange } = wanted;
  const font = `12px ${token("--font") || "sans-serif"}`;
  const axis: uPlot.Axis = {
    stroke: token("--ink-3"),
    font,
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, 8, 0, 0],
    scales: { x: { time: kind === "time" }, y: hasLogAxis ? LOG_SCALE : {} },
    axes: [{ ...axis, size: 32, ...(kind === "time" ? { space: TIME_LABEL_PX, values: clockTexts } : {}) }, { ...axis, size: 64, values: (_, splits) => splits.map((value) => (value as number | null) === null ? "" : format(value)) }],
    series: [{}, ...names.map((name, index) => line(name, index, isSmoothed)), ...(isSmoothed ? names.map((name, index) => line(name, index, false)) : [])],
    cursor: {
      drag: { x: true, y: false, setScale: false, dist: MIN_DRAG_PX },
      points: { size: 7 },
      ...(syncKey === "" ? {} : { sync: { key: syncKey, scales: ["x", null] } }),
    },
    hooks: {
      setSelect: [
        (plot) => {
          if (plot.select.width < MIN_DRAG_PX) return;
          setRange([plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x")]);
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        },
      ],
      ready: [(plot) => plot.over.addEventListener("dblclick", () => setRange(undefined))],
    },
    plugins: [readout(names, isSmoothed, kind, format)],
  };
}

function line(name: string, index: number, isFaint: boolean): uPlot.Series {
  const colour = token(`--series-${(index % SERIES_COLOURS) + 1}`);
  return { label: name, stroke: colour, width: isFaint ? 1 : 1.75, alpha: isFaint ? 0.28 : 1, spanGaps: true, points: { show: false } };
}

/** The values under the cursor, beside it. */
function readout(names: string[], isSmoothed: boolean, kind: "time" | "number", format: (value: number | null) => string): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = "plot-readout";
  const first = isSmoothed ? names.length + 1 : 1;
  const update = (plot: uPlot): void => {
    const index = plot.cursor.idx;
    const left = plot.cursor.left ?? -1;
    box.hidden = index === null || index === undefined || left < 0;
    if (index === null || index === undefined || box.hidden) return;
    const x = plot.data[0][index] ?? 0;
    const rows = names.flatMap((name, place) => {
      const value = plot.data[first + place]?.[index];
      const isShown = plot.series[first + place]?.show ?? true;
      return value === null || value === undefined || !isShown ? [] : [row(name, format(value), place)];
    });
    const head = document.createElement("strong");
    head.textContent = kind === "time" ? new Date(x * 1000).toLocaleTimeString() : format(x);
    box.replaceChildren(head, ...rows);
    const isRight = left > plot.over.clientWidth / 2;
    box.style.left = isRight ? "auto" : `${left + 12}px`;
    box.style.right = isRight ? `${plot.over.clientWidth - left + 12}px` : "auto";
  };
  return {
    hooks: {
      init: (plot) => {
        box.hidden = true;
        plot.over.appendChild(box);
      },
      setCursor: update,
    },
  };
}

function row(name: string, text: string, place: number): HTMLElement {
  const element = document.createElement("span");
  const swatch = document.createElement("i");
  swatch.style.background = `var(--series-${(place % SERIES_COLOURS) + 1})`;
  element.append(swatch, `${name} ${text}`);
  return element;
}
