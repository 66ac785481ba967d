import type { ReactNode } from "react";
import { Plot } from "./Plot";
import { Plots } from "./PlotControls";
import { Sparkline } from "./Sparkline";
import { bytesText, type PlotSeries } from "./series";

export const title = "Plots";

const curve = (id: string, count: number, start: number): PlotSeries => {
  const x = Array.from({ length: count }, (_, index) => index * 10);
  return { id, label: id, x, y: x.map((step, index) => start * Math.exp(-step / (count * 4)) + 0.05 * Math.abs(Math.sin(index * 12.9898))) };
};

const STEP = { kind: "number", label: "step" } as const;

export const stories: Record<string, () => ReactNode> = {
  curves: () => (
    <Plots forCurves initialSmoothing={0.6}>
      <Plot title="loss" series={[curve("worker-0", 300, 2), curve("worker-1", 300, 2.2)]} x={STEP} />
      <Plot title="accuracy" series={[curve("worker-0", 300, 0.4)]} x={STEP} />
    </Plots>
  ),
  "many points, eight series": () => <Plot title="loss" series={Array.from({ length: 8 }, (_, index) => curve(`run-${index}`, 10_000, index + 1))} x={STEP} />,
  bytes: () => <Plot title="memory" series={[{ id: "a", label: "worker-0", x: [1.7e9, 1.7e9 + 60, 1.7e9 + 120], y: [1e8, 2e8, 1.5e8] }]} x={{ kind: "time", label: "time" }} format={bytesText} />,
  empty: () => <Plot title="loss" series={[]} x={STEP} />,
  sparkline: () => <Sparkline values={[3, 2, 2.4, 1.2, 1, 0.9, 0.7]} label="loss falls to 0.7" />,
};
