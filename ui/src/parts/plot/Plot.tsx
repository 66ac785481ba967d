import { Suspense, lazy, useMemo, useState, type CSSProperties } from "react";
import { retrying } from "../../api/chunks";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { dialOf } from "./clock";
import { usePlotGroup } from "./group";
import { PlotTable } from "./PlotTable";
import { colourToken, compactNumber, downsample, type PlotSeries } from "./series";
import styles from "./Plot.module.css";

interface PlotProps {
  title: string;
  series: PlotSeries[];
  /** What x counts; `time` is in seconds since 1970. */
  x: { kind: "time" | "number"; label: string };
  format?: (value: number | null) => string;
  height?: number;
  /** Curves over something else than time have no last value that says anything. */
  hideLast?: boolean;
}

const Canvas = lazy(retrying(() => import("./PlotCanvas").then((module) => ({ default: module.PlotCanvas }))));
const MAX_POINTS = 2_000;

/** The series that are not drawn: the group's, where it keeps them, else the plot's own. */
function useHidden(title: string): { hidden: ReadonlySet<string>; toggle: (id: string) => void } {
  const { hidden: shared, toggle } = usePlotGroup();
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const ofPlot = useMemo(() => shared && new Set([...shared].filter((id) => id.startsWith(`${title}/`)).map((id) => id.slice(title.length + 1))), [shared, title]);
  if (ofPlot !== undefined && toggle !== undefined) return { hidden: ofPlot, toggle: (id) => toggle(`${title}/${id}`) };
  return { hidden: own, toggle: (id) => setOwn((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]))) };
}

/** Several series over one axis, or the same as a table. The legend hides and shows them. */
export function Plot({ title, series, x, format = compactNumber, height = 260, hideLast = false }: PlotProps) {
  const words = useWords().viewers.plot;
  const group = usePlotGroup();
  const { hidden, toggle } = useHidden(title);
  const [isTable, setTable] = useState(false);
  const thin = useMemo(() => series.map((one) => downsample(one, MAX_POINTS)), [series]);
  const dial = useMemo(() => dialOf(series, x.kind), [series, x.kind]);
  const isEmpty = series.every((one) => one.x.length === 0);
  return (
    <figure className={styles.plot} aria-label={words.of(title)}>
      <figcaption className={styles.head}>
        <h3>
          {title} {x.label !== "" && <span className={styles.by}>{words.by(x.label)}</span>}
        </h3>
        {!isEmpty && <Button small iconOnly look="quiet" icon={isTable ? "board" : "columns"} label={isTable ? words.plot : words.table} onPress={() => setTable(!isTable)} />}
      </figcaption>
      {isEmpty ? (
        <p className={styles.empty} style={{ height: height / 2 }}>
          {words.empty}
        </p>
      ) : isTable ? (
        <PlotTable title={title} series={thin} x={x} format={format} />
      ) : (
        <Suspense fallback={<div style={{ height }} />}>
          <Canvas series={thin} dial={dial} hidden={hidden} x={x} format={format} height={height} group={group} />
        </Suspense>
      )}
      {!isTable && !isEmpty && (
        <ul className={styles.legend}>
          {series.map((one, index) => (
            <li key={one.id}>
              <button type="button" aria-pressed={!hidden.has(one.id)} onClick={() => toggle(one.id)} className={styles.key}>
                <span className={[styles.swatch, one.isDashed && styles.dashed].filter(Boolean).join(" ")} style={{ "--colour": `var(${colourToken(one.colour ?? index)})` } as CSSProperties} />
                {one.label} {!hideLast && <b>{format(one.y.at(-1) ?? null)}</b>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}
