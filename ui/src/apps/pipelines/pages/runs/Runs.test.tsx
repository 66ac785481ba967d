import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { KEYS } from "../../api/pipelines";
import { SESSION_KEY } from "../../../../api/session";
import { live } from "../../../../gallery/live";
import { EXPERIMENT, EXPERIMENTS, IR, PIPELINE, V1_TASKS_RUN, VERSION, WORKFLOW, run } from "../../samples/pipelines";
import type { Run } from "../../kinds/pipelines";
import { readSpec } from "../../kinds/graph/pipelinesSpec";
import { renderPage, rights, stubFetch } from "../../../../testing/render";
import { RunFormView } from "../new-run/RunForm";
import { RunListView } from "./RunList";
import { RunOutput } from "./RunOutput";
import { RunPage } from "./RunPage";

const SESSION = { user: "ada@example.com", version: "", logoutUrl: "", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "owner" }], hasWorkgroup: true, registrationAllowed: false };
const EVERYTHING = rights("ml", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] });
const known: [readonly unknown[], unknown][] = [EVERYTHING, [SESSION_KEY, SESSION], [KEYS.version("p-1", "v-2"), VERSION]];

// A page fetches it on demand, which must not end after the tests have.
beforeAll(() => import("../../graph/GraphCanvas"));
beforeEach(() => {
  vi.stubGlobal("scrollTo", () => undefined);
});
afterEach(() => vi.unstubAllGlobals());

test("a list of a long history says what it leaves out, and lists more on demand", async () => {
  const more = vi.fn();
  await renderPage(<RunListView live={live([run("a", "SUCCEEDED")])} left={{ kind: "newest", count: 2000, total: 10_000, more, isReading: false }} experiments={EXPERIMENTS} isArchive={false} />, { answers: known });

  screen.getByText("The newest 2000 of 10000 runs are listed.");
  fireEvent.click(screen.getByRole("button", { name: "List more" }));
  expect(more).toHaveBeenCalledOnce();
});

test("a version that was deleted is named so, and nothing is asked of it", async () => {
  const fetch = stubFetch((_, path) => ({ body: path.includes("/pipelines?") ? { pipelines: [PIPELINE], total_size: 1 } : path.includes("/versions?") ? { pipeline_versions: [] } : {} }));
  const of = (id: string, pipeline: string, version: string) => run(id, "SUCCEEDED", { pipeline_version_reference: { pipeline_id: pipeline, pipeline_version_id: version } });
  await renderPage(<RunListView live={live([of("a", "p-gone", "v-1"), of("b", PIPELINE.pipeline_id, "v-gone")])} experiments={EXPERIMENTS} isArchive={false} />, { answers: [EVERYTHING, [SESSION_KEY, SESSION]] });

  await waitFor(() => expect(screen.getAllByText("deleted")).toHaveLength(2));
  const asked = fetch.mock.calls.map(([path]) => path);
  expect(asked.filter((path) => path.includes("p-gone") || path.includes("v-gone"))).toEqual([]);
  expect(screen.queryByRole("link", { name: "deleted" })).toBeNull();
});

test("a metric that is a percentage is shown as one in its column", async () => {
  await renderPage(<RunListView live={live([run("a", "SUCCEEDED", { metrics: { accuracy: 0.93456, loss: 0.25 } })])} experiments={EXPERIMENTS} isArchive={false} />, {
    answers: [...known, [KEYS.formats("a"), [{ name: "accuracy", value: 0.93456, isPercentage: true }]]],
  });

  screen.getByText("93.46%");
  screen.getByText("0.25");
});

test("formats of metrics are those of API v1", async () => {
  const fetch = stubFetch((_, path) => ({ body: path.includes("/v1beta1/runs/a") ? { run: { metrics: [{ name: "accuracy", number_value: 0.5, format: "PERCENTAGE" }] } } : {} }));
  await renderPage(<RunListView live={live([run("a", "SUCCEEDED", { metrics: { accuracy: 0.5 } })])} experiments={EXPERIMENTS} isArchive={false} />, { answers: known });

  await screen.findByText("50%");
  expect(fetch.mock.calls.map(([path]) => path)).toContain("/pipeline/apis/v1beta1/runs/a");
});

const uri = (name: string) => `minio://mlpipeline/${name}`;
const output = (key: string) => ({ artifact_key: `train-${key}`, artifacts: [{ artifact_id: key, uri: uri(key) }] });
const V1_OUTPUT_RUN: Run = {
  ...V1_TASKS_RUN,
  tasks: (V1_TASKS_RUN.tasks ?? []).map((task) => (task.name === "train" ? { ...task, outputs: { artifacts: [output("mlpipeline-ui-metadata"), output("mlpipeline-metrics")] } } : task)),
};

test("the output of a v1 run has visualizations and metrics of all its tasks", async () => {
  await renderPage(<RunOutput run={V1_OUTPUT_RUN} namespace="ml" />, {
    answers: [
      [KEYS.content("ml", uri("mlpipeline-ui-metadata")), JSON.stringify({ outputs: [{ type: "table", storage: "inline", header: ["epoch"], source: "7" }] })],
      [KEYS.content("ml", uri("mlpipeline-metrics")), JSON.stringify({ metrics: [{ name: "accuracy", numberValue: 0.9312, format: "PERCENTAGE" }] })],
    ],
  });

  screen.getByRole("region", { name: "train" });
  expect(screen.queryByRole("region", { name: "create-pvc" })).toBeNull();
  screen.getByRole("columnheader", { name: "epoch" });
  screen.getByText("93.12%");
});

test("a v1 run has a tab with its output", async () => {
  stubFetch(() => ({ body: {} }));
  await renderPage(<RunPage run={V1_OUTPUT_RUN} spec={WORKFLOW} isSpecKnown namespace="ml" version={VERSION} />, { answers: known });
  expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual(["Graph", "Run output", "Timeline", "Details", "Specification"]);
});

test("a copy of a run keeps its options", async () => {
  const fetch = stubFetch(() => ({ body: { run_id: "new" } }));
  const plugins_input = { windlass: { fail_fast: false, max_cache_staleness: "P7D" } };
  const nothing = () => undefined;
  await renderPage(
    <RunFormView
      namespace="ml"
      offers={{ pipelines: [PIPELINE], versions: [VERSION], experiments: [EXPERIMENT], pipeline: "p-1", version: "v-2", isInline: false }}
      spec={readSpec(IR)}
      source={{ pipeline_id: "p-1", pipeline_version_id: "v-2" }}
      original={{ display_name: "fit", plugins_input, runtime_config: { parameters: { dataset: "s3://x" } } }}
      experiment="exp-1"
      schedule={undefined}
      isRecurring={false}
      onPipeline={nothing}
      onVersion={nothing}
    />,
    { answers: known },
  );
  const posted = () => fetch.mock.calls.filter(([, init]) => init.method === "POST");

  const age = screen.getByRole("textbox", { name: "Oldest outputs to reuse" });
  fireEvent.change(age, { target: { value: "a week" } });
  fireEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(posted()).toEqual([]);
  fireEvent.change(age, { target: { value: "P7D" } });
  fireEvent.click(screen.getByRole("button", { name: "Start" }));
  await waitFor(() => expect(posted()).toHaveLength(1));
  expect(JSON.parse(posted()[0]?.[1].body as string)).toMatchObject({ display_name: "fit (2)", plugins_input });
});
