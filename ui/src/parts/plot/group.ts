/** What the plots of a page share: the range, the place of the cursor, smoothing and the axis. */
import { createContext, useContext } from "react";

export interface PlotGroup {
  /** Plots with the same key have one cursor. */
  syncKey: string;
  /** Undefined: everything. */
  range: [number, number] | undefined;
  setRange: (range: [number, number] | undefined) => void;
  /** 0 to 0.99. */
  smoothing: number;
  hasLogAxis: boolean;
  /** Series that are not drawn, as `plot/series`, and a function that draws or hides one; undefined: each plot has its own. */
  hidden?: ReadonlySet<string>;
  toggle?: (id: string) => void;
}

export const PlotGroupContext = createContext<PlotGroup>({
  syncKey: "",
  range: undefined,
  setRange: () => undefined,
  smoothing: 0,
  hasLogAxis: false,
});

export const usePlotGroup = (): PlotGroup => useContext(PlotGroupContext);
