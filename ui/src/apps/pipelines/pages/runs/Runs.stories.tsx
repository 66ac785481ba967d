import type { ReactNode } from "react";
import { Cached } from "../../../../gallery/Cached";
import { failed, forbidden, live, loading, stale } from "../../../../gallery/live";
import { LINEAGE } from "../../samples/executions";
import { CURVE, EXPERIMENT, EXPERIMENTS, FAILED, HTML, HTML_TEXT, IR, MARKDOWN, METRICS, RUNNING, SUCCEEDED, V1_RUN, V1_TASKS_RUN, VERSION, WORKFLOW, runs, wideRun } from "../../samples/pipelines";
import { MARKDOWN_TEXT } from "../../../../gallery/samples";
import { KEYS } from "../../api/pipelines";
import type { RunsLeft } from "../../api/pipelinesHistory";
import { SESSION_KEY } from "../../../../api/session";
import type { Run } from "../../kinds/pipelines";
import { artifactsOf, compareRuns } from "../../kinds/pipelinesCompare";
import { findNode, runGraph } from "../../kinds/graph/pipelinesGraph";
import { readSpec } from "../../kinds/graph/pipelinesSpec";
import { recordOf, recordsOf } from "../../kinds/graph/pipelinesTasks";
import { runGrid } from "../../kinds/graph/pipelinesTimeline";
import { ComparisonView } from "../compare/Comparison";
import { NodePanel } from "../tasks/NodePanel";
import { RunFacts } from "./RunFacts";
import { RunGrid } from "./RunGrid";
import { RunListView } from "./RunList";
import { RunOutput } from "./RunOutput";
import { RunPage } from "./RunPage";
import { RunTimeline } from "./RunTimeline";
import { TaskManifest } from "../tasks/TaskManifest";
import { TaskMetadata } from "../tasks/TaskMetadata";
import { sourceOfRun } from "../tasks/taskSource";

const nothing = () => undefined;
const content = (uri: string | undefined, text: string): [string[], string] => [KEYS.content("ml", uri ?? ""), text];
const many = runs(30);
const page = (rows: Run[]) => ({ pages: [{ items: rows, next: "" }], pageParams: [{ place: 0, token: "" }] });
const SESSION = { user: "ada@example.com", version: "", logoutUrl: "", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "owner" }], hasWorkgroup: true, registrationAllowed: false };

function Known({ children }: { children: ReactNode }) {
  return (
    <Cached
      answers={[
        [SESSION_KEY, SESSION],
        [KEYS.version("p-1", "v-2"), VERSION],
        [KEYS.experiment("exp-1"), EXPERIMENT],
        [[...KEYS.runs, "experiment", "exp-1", "AVAILABLE"], page(many)],
        ...many.map((one): [string[], Run] => [KEYS.run(one.run_id), one]),
        ...LINEAGE.map((one): [string[], unknown] => [KEYS.execution(one.task_id), one]),
        content(MARKDOWN.uri, MARKDOWN_TEXT),
        content(HTML.uri, HTML_TEXT),
        content(SHOWN, JSON.stringify({ version: 1, outputs: [{ type: "markdown", storage: "inline", source: "**Trained** in three epochs." }, { type: "table", storage: "inline", format: "csv", header: ["epoch", "loss"], source: "1,0.61\n2,0.34\n3,0.21" }] })),
        content(MEASURED, JSON.stringify({ metrics: [{ name: "accuracy", numberValue: 0.9312, format: "PERCENTAGE" }, { name: "log-loss", numberValue: 0.21345, format: "RAW" }] })),
        ...many.map((one): [string[], unknown] => [KEYS.formats(one.run_id), [{ name: "accuracy", value: 0.93, isPercentage: true }]]),
      ]}
    >
      {children}
    </Cached>
  );
}

const left = (kind: RunsLeft["kind"]): RunsLeft => ({ kind, count: 2_000, total: 10_000, more: nothing, isReading: false });
const graphOf = (run: Run, spec: unknown = IR) => runGraph(readSpec(spec)?.steps ?? [], recordsOf(run), run.state === "SUCCEEDED" || run.state === "FAILED");
const runPage = (run: Run, spec: unknown = IR) => (
  <Known>
    <RunPage run={run} spec={spec} isSpecKnown namespace="ml" version={VERSION} />
  </Known>
);
const panel = (run: Run, id: string, spec?: unknown) => {
  const node = findNode(graphOf(run, spec), id);
  return <Known>{node && <NodePanel node={node} source={sourceOfRun(run.run_id, spec === WORKFLOW)} namespace="ml" onClose={nothing} />}</Known>;
};
const v1Node = (id: string) => findNode(graphOf(V1_TASKS_RUN, WORKFLOW), id);
const manifestOf = (id: string) => v1Node(id)?.manifest ?? "";
const SHOWN = "minio://mlpipeline/artifacts/train-and-predict-8xk2/shown.json";
const MEASURED = "minio://mlpipeline/artifacts/train-and-predict-8xk2/metrics.json";
const OUTPUTS = { artifacts: [["mlpipeline-ui-metadata", SHOWN], ["mlpipeline-metrics", MEASURED]].map(([key = "", uri = ""]) => ({ artifact_key: `train-${key}`, artifacts: [{ artifact_id: key, uri }] })) };
const V1_OUTPUT_RUN: Run = { ...V1_TASKS_RUN, tasks: (V1_TASKS_RUN.tasks ?? []).map((task) => (task.name === "train" ? { ...task, outputs: OUTPUTS } : task)) };
const recordOfNode = (id: string) => v1Node(id)?.record;
const CACHED = LINEAGE.filter((one) => one.cached_task_id !== undefined).map(recordOf)[0];
const withArtifacts = (run: Run, id: string, epochs: number): Run => ({
  ...run,
  run_id: id,
  display_name: `churn-model ${id}`,
  runtime_config: { parameters: { ...run.runtime_config?.parameters, epochs } },
  tasks: (run.tasks ?? []).map((task) =>
    task.name === "evaluate"
      ? { ...task, outputs: { artifacts: [METRICS, CURVE, MARKDOWN, HTML].map((one) => ({ artifact_key: one.name ?? "", artifacts: [{ ...one, artifact_id: `${one.artifact_id}-${id}`, metadata: one === METRICS ? { ...one.metadata, accuracy: 0.9 + epochs / 1000 } : (one.metadata ?? {}) }] })) } }
      : task,
  ),
});
const compared = [withArtifacts(SUCCEEDED, "run-3", 3), withArtifacts(SUCCEEDED, "run-5", 9)];

export const title = "Pipeline runs";
export const stories: Record<string, () => ReactNode> = {
  "list: every state": () => <Known><RunListView live={live(runs(10))} experiments={EXPERIMENTS} isArchive={false} /></Known>,
  "list: many": () => <Known><RunListView live={live(runs(2_000))} experiments={EXPERIMENTS} isArchive={false} /></Known>,
  "list: the newest of many": () => <Known><RunListView live={live(runs(20))} left={left("newest")} experiments={EXPERIMENTS} isArchive={false} /></Known>,
  "list: a long history, filtered": () => <Known><RunListView live={live(runs(6))} left={left("searched")} experiments={EXPERIMENTS} isArchive={false} /></Known>,
  "list: empty": () => <RunListView live={live([])} experiments={EXPERIMENTS} isArchive={false} />,
  "list: empty archive": () => <RunListView live={live([])} experiments={EXPERIMENTS} isArchive />,
  "list: loading": () => <RunListView live={loading()} experiments={EXPERIMENTS} isArchive={false} />,
  "list: forbidden": () => <RunListView live={forbidden()} experiments={EXPERIMENTS} isArchive={false} />,
  "list: failed": () => <RunListView live={failed()} experiments={EXPERIMENTS} isArchive={false} />,
  "list: stale": () => <Known><RunListView live={stale(runs(4))} experiments={EXPERIMENTS} isArchive={false} /></Known>,
  "page: running": () => runPage(RUNNING),
  "page: failed": () => runPage(FAILED),
  "page: succeeded": () => runPage(SUCCEEDED),
  "page: v1": () => runPage(V1_RUN, WORKFLOW),
  "page: a thousand iterations": () => runPage(wideRun(1000)),
  "page: without a specification": () => runPage({ ...RUNNING, pipeline_version_reference: undefined }, null),
  "task: succeeded": () => panel(SUCCEEDED, "root.exit-handler-1.evaluate"),
  "task: failed": () => panel(FAILED, "root.exit-handler-1.for-loop-2.1.train"),
  "task: cached": () => panel(RUNNING, "root.exit-handler-1.prepare"),
  "task: not triggered": () => panel(SUCCEEDED, "root.exit-handler-1.condition-branches-3.condition-5"),
  "task: waiting": () => panel(RUNNING, "root.exit-handler-1.evaluate"),
  "task: v1": () => panel(V1_RUN, "root.train", WORKFLOW),
  "task: v1, its manifest": () => <Known><TaskManifest manifest={manifestOf("root.create-pvc")} record={recordOfNode("root.create-pvc")} label="create-pvc" /></Known>,
  "task: v1, the manifest before it ran": () => <TaskManifest manifest={manifestOf("root.create-pvc")} record={undefined} label="create-pvc" />,
  "task: v1, a resource": () => panel(V1_TASKS_RUN, "root.create-pvc", WORKFLOW),
  "run output: v1": () => <Known><RunOutput run={V1_OUTPUT_RUN} namespace="ml" /></Known>,
  "run output: nothing": () => <RunOutput run={V1_TASKS_RUN} namespace="ml" />,
  "task: metadata": () => <Known><TaskMetadata record={CACHED} /></Known>,
  "task: metadata of one that waits": () => <TaskMetadata record={undefined} />,
  "list: metrics of v1 runs": () => <Known><RunListView live={live(runs(6).map((one, index) => ({ ...one, metrics: { accuracy: 0.9 + index / 100, ...(index % 2 === 0 ? { "log-loss": 0.21345 } : {}) } })))} experiments={EXPERIMENTS} isArchive={false} /></Known>,
  timeline: () => <RunTimeline nodes={graphOf(SUCCEEDED)} />,
  "timeline: many": () => <RunTimeline nodes={graphOf(wideRun(300))[0]?.children.find((node) => node.kind === "loop")?.children ?? []} />,
  "timeline: nothing yet": () => <RunTimeline nodes={graphOf({ run_id: "r", state: "PENDING" })} />,
  details: () => <Known><RunFacts run={SUCCEEDED} namespace="ml" version={VERSION} /></Known>,
  "grid of 30 runs": () => <RunGrid data={runGrid(many, new Map(many.slice(0, 26).map((one) => [one.run_id, one])), Date.now())} current="run-4" />,
  compare: () => <Known><ComparisonView runs={compared} comparison={compareRuns(compared, compared.flatMap(artifactsOf))} experiments={EXPERIMENTS} /></Known>,
  "compare: nothing alike": () => <Known><ComparisonView runs={[RUNNING, FAILED]} comparison={compareRuns([{ run_id: "a" }, { run_id: "b" }], [])} experiments={EXPERIMENTS} /></Known>,
};
