import { useState, type ReactNode } from "react";
import { FAILED, IR, RUNNING, SUCCEEDED, V1_RUN, WORKFLOW, wideRun } from "../samples/pipelines";
import type { Run } from "../kinds/pipelines";
import { initiallyOpen, runGraph, staticGraph, type GraphNode } from "../kinds/graph/pipelinesGraph";
import { readSpec } from "../kinds/graph/pipelinesSpec";
import { recordsOf } from "../kinds/graph/pipelinesTasks";
import { Graph } from "./Graph";

const nothing = () => undefined;
const graphOf = (run: Run, spec: unknown = IR): GraphNode[] => runGraph(readSpec(spec)?.steps ?? [], recordsOf(run), run.state === "SUCCEEDED" || run.state === "FAILED");
const LOOP = "root.exit-handler-1.for-loop-2";

function Shown({ nodes, also = [], chosen }: { nodes: GraphNode[]; also?: string[]; chosen?: string }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([...initiallyOpen(nodes), ...also]));
  const [hasArtifacts, setArtifacts] = useState(true);
  const toggle = (id: string) => setOpen((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])));
  return <Graph label="Graph" nodes={nodes} open={open} onToggle={toggle} chosen={chosen} onChoose={nothing} hasArtifacts={hasArtifacts} onArtifacts={setArtifacts} onArtifact={nothing} height={700} />;
}

const STEPS = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`step-${index}`, { taskInfo: { name: `step-${index}` }, dependentTasks: index === 0 ? [] : [`step-${Math.floor((index - 1) / 3)}`] }]));

export const title = "Graph";
export const stories: Record<string, () => ReactNode> = {
  "before any run": () => <Shown nodes={staticGraph(readSpec(IR)?.steps ?? [])} />,
  running: () => <Shown nodes={graphOf(RUNNING)} also={[LOOP, `${LOOP}.2`]} chosen={`${LOOP}.2.train`} />,
  failed: () => <Shown nodes={graphOf(FAILED)} also={[LOOP]} />,
  succeeded: () => <Shown nodes={graphOf(SUCCEEDED)} />,
  "v1 run": () => <Shown nodes={graphOf(V1_RUN, WORKFLOW)} />,
  "a thousand iterations": () => <Shown nodes={graphOf(wideRun(1000))} also={[LOOP]} />,
  "many steps": () => <Shown nodes={staticGraph(readSpec({ root: { dag: { tasks: STEPS } } })?.steps ?? [])} />,
};
