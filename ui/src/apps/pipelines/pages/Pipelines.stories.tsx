import type { ReactNode } from "react";
import { Cached } from "../../../gallery/Cached";
import { failed, forbidden, live, loading } from "../../../gallery/live";
import { linksOf, LINEAGE } from "../samples/executions";
import { CURVE, DATASET, EXPERIMENT, EXPERIMENTS, HTML, HTML_TEXT, IR, MARKDOWN, METRICS, PIPELINE, RECURRING, VERSION, runs } from "../samples/pipelines";
import { MARKDOWN_TEXT } from "../../../gallery/samples";
import { KEYS } from "../api/pipelines";
import { SESSION_KEY } from "../../../api/session";
import type { Artifact, Pipeline, Run } from "../kinds/pipelines";
import type { V1Output } from "../kinds/pipelinesMetrics";
import { readSpec } from "../kinds/graph/pipelinesSpec";
import { ArtifactPage } from "./artifacts/ArtifactDetails";
import { ArtifactListView } from "./artifacts/ArtifactList";
import { ExperimentPage } from "./experiments/ExperimentDetails";
import { ExperimentListView } from "./experiments/ExperimentList";
import { PipelinePage } from "./catalogue/PipelineDetails";
import { PipelineListView } from "./catalogue/PipelineList";
import { RecurringRunPage } from "./recurring/RecurringRunDetails";
import { RecurringRunListView } from "./recurring/RecurringRunList";
import { RunFormView } from "./new-run/RunForm";
import type { RunOffers } from "./new-run/useRunForm";
import { UploadForm } from "./catalogue/UploadPipeline";
import { V1View } from "./tasks/V1Visualisations";

const nothing = () => undefined;
const many = runs(30);
const SESSION = { user: "ada@example.com", version: "", logoutUrl: "", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "owner" }], hasWorkgroup: true, registrationAllowed: false };

function Known({ children }: { children: ReactNode }) {
  return (
    <Cached
      answers={[
        [SESSION_KEY, SESSION],
        [KEYS.version("p-1", "v-2"), VERSION],
        ...many.map((one): [string[], Run] => [KEYS.run(one.run_id), one]),
        ...[METRICS, CURVE, DATASET, MARKDOWN].map((one): [string[], unknown] => [KEYS.links(one.artifact_id), linksOf(one.artifact_id)]),
        [KEYS.links(HTML.artifact_id), []],
        ...LINEAGE.map((one): [string[], unknown] => [KEYS.execution(one.task_id), one]),
        [KEYS.content("ml", MARKDOWN.uri ?? ""), MARKDOWN_TEXT],
        [KEYS.content("ml", HTML.uri ?? ""), HTML_TEXT],
        [KEYS.content("ml", DATASET.uri ?? ""), "customer,tenure,contract,leaves\n1,12,monthly,yes\n2,48,yearly,no\n"],
      ]}
    >
      {children}
    </Cached>
  );
}

const pipelines = (count: number): Pipeline[] => Array.from({ length: count }, (_, index) => ({ ...PIPELINE, pipeline_id: `p-${index}`, display_name: `pipeline-${index}`, ...(index % 4 === 3 ? { namespace: "" } : {}) }));
const artifacts = (count: number): Artifact[] => Array.from({ length: count }, (_, index) => ({ ...([METRICS, CURVE, DATASET, MARKDOWN, HTML][index % 5] ?? METRICS), artifact_id: `a-${index}` }));
const OFFERS: RunOffers = { pipelines: [PIPELINE], versions: [VERSION], experiments: [EXPERIMENT], pipeline: "p-1", version: "v-2", isInline: false };
const form = (isRecurring: boolean, original?: Pick<Run, "display_name" | "plugins_input">) => (
  <Known>
    <RunFormView
      namespace="ml"
      offers={OFFERS}
      spec={readSpec(IR)}
      source={{ pipeline_id: "p-1", pipeline_version_id: "v-2" }}
      original={original}
      experiment="exp-1"
      schedule={isRecurring ? RECURRING[0] : undefined}
      isRecurring={isRecurring}
      onPipeline={nothing}
      onVersion={nothing}
    />
  </Known>
);
const artifactPage = (artifact: Artifact) => <Known><ArtifactPage artifact={artifact} /></Known>;
const V1: V1Output[] = [
  { type: "markdown", source: "**v1** says" },
  { type: "table", header: ["name", "value"], rows: [["a", "1"], ["b", "2"]] },
  { type: "confusion_matrix", matrix: { labels: ["no", "yes"], rows: [[50, 3], [4, 41]] } },
  { type: "roc", series: { id: "roc", label: "ROC", x: [0, 0.2, 1], y: [0, 0.9, 1] } },
  { type: "tensorboard", source: "minio://mlpipeline/artifacts/train-and-predict-8xk2/logs" },
  { type: "tensorboard", source: "/tmp/logs" },
  { type: "unsupported", kind: "hologram" },
];

export const title = "Pipelines";
export const stories: Record<string, () => ReactNode> = {
  "list: few": () => <PipelineListView live={live(pipelines(5))} hasNamespace={false} />,
  "list: many, all namespaces": () => <PipelineListView live={live(pipelines(500))} hasNamespace />,
  "list: empty": () => <PipelineListView live={live([])} hasNamespace={false} />,
  "list: loading": () => <PipelineListView live={loading()} hasNamespace={false} />,
  "list: forbidden": () => <PipelineListView live={forbidden()} hasNamespace={false} />,
  "list: failed": () => <PipelineListView live={failed()} hasNamespace={false} />,
  details: () => <Known><PipelinePage pipeline={PIPELINE} versions={live([VERSION, { ...VERSION, pipeline_version_id: "v-1", display_name: "v1" }])} version={VERSION} runs={live(many)} experiments={EXPERIMENTS} /></Known>,
  "details: no version": () => <PipelinePage pipeline={PIPELINE} versions={live([])} version={undefined} runs={live([])} experiments={EXPERIMENTS} />,
  upload: () => <UploadForm pipeline="" title="Upload a pipeline" />,
  "upload: a version": () => <UploadForm pipeline="p-1" title="New version" />,
  "new run": () => form(false),
  "new recurring run": () => form(true),
  "new run: a copy with options": () => form(false, { display_name: "fit", plugins_input: { windlass: { max_cache_staleness: "P7D", fail_fast: false } } }),
  "experiments: few": () => <ExperimentListView live={live([EXPERIMENT, { ...EXPERIMENT, experiment_id: "exp-2", display_name: "Default", description: "" }])} runs={many} isArchive={false} hasNamespace={false} />,
  "experiments: empty": () => <ExperimentListView live={live([])} runs={[]} isArchive={false} hasNamespace={false} />,
  "experiments: loading": () => <ExperimentListView live={loading()} runs={[]} isArchive={false} hasNamespace={false} />,
  "experiments: forbidden": () => <ExperimentListView live={forbidden()} runs={[]} isArchive={false} hasNamespace={false} />,
  "experiments: failed": () => <ExperimentListView live={failed()} runs={[]} isArchive={false} hasNamespace={false} />,
  "experiments: many": () => <ExperimentListView live={live(Array.from({ length: 300 }, (_, index) => ({ ...EXPERIMENT, experiment_id: `exp-${index}`, display_name: `sweep-${index}` })))} runs={many} isArchive={false} hasNamespace={false} />,
  "experiment details": () => <Known><ExperimentPage experiment={EXPERIMENT} runs={live(many)} /></Known>,
  "experiment without runs": () => <ExperimentPage experiment={EXPERIMENT} runs={live([])} />,
  "recurring: few": () => <RecurringRunListView live={live(RECURRING)} experiments={EXPERIMENTS} />,
  "recurring: empty": () => <RecurringRunListView live={live([])} experiments={EXPERIMENTS} />,
  "recurring: many": () => <RecurringRunListView live={live(Array.from({ length: 300 }, (_, index) => ({ ...RECURRING[index % RECURRING.length], recurring_run_id: `recurring-${index}` })))} experiments={EXPERIMENTS} />,
  "recurring: loading": () => <RecurringRunListView live={loading()} experiments={EXPERIMENTS} />,
  "recurring: forbidden": () => <RecurringRunListView live={forbidden()} experiments={EXPERIMENTS} />,
  "recurring: failed": () => <RecurringRunListView live={failed()} experiments={EXPERIMENTS} />,
  "recurring details": () => <Known>{RECURRING[0] && <RecurringRunPage row={RECURRING[0]} runs={live(many.slice(0, 8))} experiments={EXPERIMENTS} />}</Known>,
  "artifacts: few": () => <ArtifactListView live={live(artifacts(8))} hasNamespace={false} />,
  "artifacts: many": () => <ArtifactListView live={live(artifacts(3_000))} hasNamespace={false} />,
  "artifacts: empty": () => <ArtifactListView live={live([])} hasNamespace={false} />,
  "artifacts: loading": () => <ArtifactListView live={loading()} hasNamespace={false} />,
  "artifacts: failed": () => <ArtifactListView live={failed()} hasNamespace={false} />,
  "artifacts: forbidden": () => <ArtifactListView live={forbidden()} hasNamespace={false} />,
  "artifact: dataset": () => artifactPage(DATASET),
  "artifact: metrics": () => artifactPage(METRICS),
  "artifact: classification": () => artifactPage(CURVE),
  "artifact: HTML": () => artifactPage(HTML),
  "artifact: Markdown": () => artifactPage(MARKDOWN),
  "v1 visualizations": () => V1.map((output, index) => <V1View key={index} output={output} namespace="ml" />),
};
