import { useId, useMemo, useState, type ReactNode } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Check } from "../field/Check";
import { ClockContext, CursorClock } from "./clock";
import { PlotGroupContext, type PlotGroup } from "./group";
import { usePlotSettings } from "./settings";
import styles from "./Plot.module.css";

interface PlotsProps {
  children: ReactNode;
  /** For curves that a person smooths and sees on a log axis; not for use of CPU and memory. */
  forCurves?: boolean;
  initialSmoothing?: number;
  /** Whether smoothing, axis and hidden series are in the URL; for the one group of curves of a page. */
  inUrl?: boolean;
}

/** Plots that belong together: one cursor, one range, one set of controls. */
export function Plots({ children, forCurves, initialSmoothing = 0, inUrl = false }: PlotsProps) {
  const words = useWords().viewers.plot;
  const syncKey = useId();
  const [range, setRange] = useState<[number, number]>();
  const [{ smoothing, hasLogAxis, hidden }, change] = usePlotSettings(inUrl, initialSmoothing);
  const group = useMemo<PlotGroup>(() => {
    const toggle = (id: string) => change({ hidden: hidden.has(id) ? new Set([...hidden].filter((one) => one !== id)) : new Set([...hidden, id]) });
    return { syncKey, range, setRange, smoothing, hasLogAxis, ...(inUrl ? { hidden, toggle } : {}) };
  }, [syncKey, range, smoothing, hasLogAxis, inUrl, hidden, change]);
  return (
    <PlotGroupContext value={group}>
      <div className={styles.controls}>
        {forCurves && (
          <>
            <label className={styles.slider}>
              {words.smoothing}
              <input type="range" min={0} max={0.99} step={0.01} value={smoothing} onChange={(event) => change({ smoothing: Number(event.target.value) })} />
              <output>{smoothing.toFixed(2)}</output>
            </label>
            <Check label={words.log} checked={hasLogAxis} onChange={(checked) => change({ hasLogAxis: checked })} />
          </>
        )}
        {range === undefined ? <span className={styles.hint}>{words.hint}</span> : <Button small label={words.reset} onPress={() => setRange(undefined)} />}
      </div>
      {children}
    </PlotGroupContext>
  );
}

/** Groups of plots over different axes, such as steps and time, that have one cursor: where one points, the others show that moment. */
export function PlotsInTime({ children }: { children: ReactNode }) {
  const [clock] = useState(() => new CursorClock());
  return <ClockContext value={clock}>{children}</ClockContext>;
}
