import type { ReactNode } from "react";
import { lineOf, type LogStream } from "./lines";
import { LogView } from "./LogView";

export const title = "Logs";

const TEXTS = [
  "\u001b[1mepoch 1\u001b[0m step=100 \u001b[32mloss=0.412\u001b[0m",
  "\u001b[33mWARNING\u001b[0m the data set has 3 empty rows",
  "\u001b[31mTraceback (most recent call last):\u001b[0m",
  '  File "train.py", line 12, in <module>',
  "step=101 loss=0.409 lr=1e-3",
];

const stream = (id: string, count: number, phase: LogStream["phase"] = "open"): LogStream => ({
  id,
  label: id,
  phase,
  lines: Array.from({ length: count }, (_, index) =>
    lineOf(`2026-11-17T10:${String(Math.floor(index / 60) % 60).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}.5Z ${TEXTS[index % TEXTS.length] ?? ""}`, index + 1),
  ),
});

const folding = (phase: LogStream["phase"]): LogStream => ({
  ...stream("worker-0", 0, phase),
  lines: [
    "##[group]Install the requirements",
    ...Array.from({ length: 12 }, (_, index) => `Collecting package-${index}`),
    "##[endgroup]",
    "epoch 1 loss=0.412",
    "Traceback (most recent call last):",
    ...Array.from({ length: 12 }, (_, index) => `  File "train.py", line ${index}, in step`),
    "ValueError: the batch is empty",
    "::group::Upload",
    "3 files",
  ].map((text, index) => lineOf(`2026-11-17T10:00:00Z ${text}`, index + 1)),
});

export const stories: Record<string, () => ReactNode> = {
  groups: () => <LogView streams={[folding("ended")]} fileName="fit" />,
  "link into a group": () => <LogView streams={[folding("ended")]} anchor="#L5" fileName="fit" />,
  one: () => <LogView streams={[stream("worker-0", 40)]} fileName="fit" />,
  "side by side": () => <LogView streams={[stream("worker-0", 30), stream("worker-1", 24)]} fileName="fit" />,
  merged: () => <LogView streams={["master-0", "worker-0", "worker-1", "worker-2"].map((id) => stream(id, 10))} fileName="fit" />,
  "link to a line": () => <LogView streams={[stream("worker-0", 200)]} anchor="#L120" fileName="fit" />,
  "many lines": () => <LogView streams={[stream("worker-0", 100_000, "ended")]} fileName="fit" />,
  empty: () => <LogView streams={[stream("worker-0", 0)]} fileName="fit" />,
  loading: () => <LogView streams={[stream("worker-0", 0, "loading")]} fileName="fit" />,
  error: () => <LogView streams={[{ ...stream("worker-0", 0, "error"), problem: "container \"pytorch\" is waiting to start: ImagePullBackOff" }]} fileName="fit" />,
};
