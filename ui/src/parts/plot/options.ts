/** uPlot's options in the colours of the tokens. */
import uPlot from "uplot";
import { colourToken, nearestValue } from "./series";

/** What of a series is drawn besides its points. */
export interface Look {
  name: string;
  colour: number;
  isDashed: boolean;
}

interface Wanted {
  looks: Look[];
  isSmoothed: boolean;
  hasLogAxis: boolean;
  kind: "time" | "number";
  format: (value: number | null) => string;
  syncKey: string;
  width: number;
  height: number;
  setRange: (range: [number, number] | undefined) => void;
}

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
  const { looks, isSmoothed, hasLogAxis, kind, format, syncKey, width, height, setRange } = wanted;
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
    series: [{}, ...looks.map((look) => line(look, isSmoothed)), ...(isSmoothed ? looks.map((look) => line(look, false)) : [])],
    cursor: {
      drag: { x: true, y: false, setScale: false, dist: MIN_DRAG_PX },
      points: { size: 7 },
      dataIdx: (plot, series, hovered) => (series === 0 ? hovered : (nearestValue(plot.data[series] ?? [], hovered) ?? hovered)),
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
    plugins: [readout(looks, isSmoothed, kind, format)],
  };
}

function line({ name, colour, isDashed }: Look, isFaint: boolean): uPlot.Series {
  return {
    label: name,
    stroke: token(colourToken(colour)),
    width: isFaint ? 1 : 1.75,
    alpha: isFaint ? 0.28 : 1,
    spanGaps: true,
    points: { show: false },
    ...(isDashed ? { dash: [6, 4] } : {}),
  };
}

/** The values under the cursor, beside it. */
function readout(looks: Look[], isSmoothed: boolean, kind: "time" | "number", format: (value: number | null) => string): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = "plot-readout";
  const first = isSmoothed ? looks.length + 1 : 1;
  const update = (plot: uPlot): void => {
    const index = plot.cursor.idx;
    const left = plot.cursor.left ?? -1;
    box.hidden = index === null || index === undefined || left < 0;
    if (index === null || index === undefined || box.hidden) return;
    const x = plot.data[0][index] ?? 0;
    const rows = looks.flatMap((look, place) => {
      const value = plot.data[first + place]?.[plot.cursor.idxs?.[first + place] ?? index];
      const isShown = plot.series[first + place]?.show ?? true;
      return value === null || value === undefined || !isShown ? [] : [row(look, format(value))];
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

function row({ name, colour }: Look, text: string): HTMLElement {
  const element = document.createElement("span");
  const swatch = document.createElement("i");
  swatch.style.background = `var(${colourToken(colour)})`;
  element.append(swatch, `${name} ${text}`);
  return element;
}
