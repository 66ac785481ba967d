import { useId, useMemo, useState, type ReactNode } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Check } from "../field/Check";
import { PlotGroupContext, type PlotGroup } from "./group";
import styles from "./Plot.module.css";

interface PlotsProps {
  children: ReactNode;
  /** For curves that a person smooths and sees on a log axis; not for use of CPU and memory. */
  forCurves?: boolean;
  initialSmoothing?: number;
}

/** Plots that belong together: one cursor, one range, one set of controls. */
export function Plots({ children, forCurves, initialSmoothing = 0 }: PlotsProps) {
  const words = useWords().viewers.plot;
  const syncKey = useId();
  const [range, setRange] = useState<[number, number]>();
  const [smoothing, setSmoothing] = useState(initialSmoothing);
  const [hasLogAxis, setLogAxis] = useState(false);
  const group = useMemo<PlotGroup>(() => ({ syncKey, range, setRange, smoothing, hasLogAxis }), [syncKey, range, smoothing, hasLogAxis]);
  return (
    <PlotGroupContext value={group}>
      <div className={styles.controls}>
        {forCurves && (
          <>
            <label className={styles.slider}>
              {words.smoothing}
              <input type="range" min={0} max={0.99} step={0.01} value={smoothing} onChange={(event) => setSmoothing(Number(event.target.value))} />
              <output>{smoothing.toFixed(2)}</output>
            </label>
            <Check label={words.log} checked={hasLogAxis} onChange={setLogAxis} />
          </>
        )}
        {range === undefined ? <span className={styles.hint}>{words.hint}</span> : <Button small label={words.reset} onPress={() => setRange(undefined)} />}
      </div>
      {children}
    </PlotGroupContext>
  );
}
