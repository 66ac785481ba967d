import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KEYS } from "../../api/pipelines";
import { SESSION_KEY } from "../../../../api/session";
import { live } from "../../../../gallery/live";
import { LINEAGE, executions, linksOf } from "../../samples/executions";
import { SUCCEEDED } from "../../samples/pipelines";
import { recordOf } from "../../kinds/graph/pipelinesTasks";
import { renderPage, rights, stubFetch } from "../../../../testing/render";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { ExecutionListView } from "./ExecutionList";
import { Lineage } from "../lineage/Lineage";
import "../lineage/LineageCanvas";
import { askedObject, madeObject } from "../tasks/TaskManifest";
import { TaskMetadata } from "../tasks/TaskMetadata";
import { V1View } from "../tasks/V1Visualisations";
import { useRunActions } from "../runs/useRunActions";

const SESSION = { user: "ada@example.com", version: "", logoutUrl: "", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "owner" }], hasWorkgroup: true, registrationAllowed: false };
const EVERYTHING = rights("ml", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] });

beforeEach(() => {
  vi.stubGlobal("scrollTo", () => undefined);
});
afterEach(() => vi.unstubAllGlobals());

test("executions lead to their page and to their run, and older ones are read on demand", async () => {
  const more = vi.fn();
  await renderPage(<ExecutionListView executions={{ live: live(executions(5)), total: 40, more, isReading: false }} hasNamespace={false} />, { answers: [[SESSION_KEY, SESSION]] });

  const places = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
  expect(places).toEqual(expect.arrayContaining(["/pipelines/executions/run-1-t-importer", "/pipelines/runs/details/run-1", "/pipelines/details/p-1?version=v-2"]));
  screen.getByText("The newest 5 of 40 executions are listed.");
  fireEvent.click(screen.getByRole("button", { name: "List older ones" }));
  expect(more).toHaveBeenCalledOnce();
});

test("a cached task links to the execution that ran", async () => {
  const cached = LINEAGE.find((one) => one.cached_task_id !== undefined);
  await renderPage(<TaskMetadata record={cached && recordOf(cached)} />, { answers: LINEAGE.map((one) => [KEYS.execution(one.task_id), one]) });

  expect(screen.getByRole("link", { name: "prepare in churn-model run-3" }).getAttribute("href")).toBe("/pipelines/executions/t-prepare");
});

test("the lineage is opened hop by hop", async () => {
  await renderPage(<Lineage focus={{ kind: "artifact", id: "a-data" }} label="data" />, {
    answers: [...LINEAGE.map((one): [string[], unknown] => [KEYS.execution(one.task_id), one]), ...["a-data", "a-model"].map((id): [string[], unknown] => [KEYS.links(id), linksOf(id)])],
  });

  await screen.findByRole("group", { name: "Lineage of data" }, { timeout: 5_000 });
  expect(screen.queryByRole("link", { name: /^check/ })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Show what model is connected with", hidden: true }));
  expect((await screen.findByRole("link", { name: /check/, hidden: true })).getAttribute("href")).toBe("/pipelines/executions/t-check");
});

test("a manifest is what the server made, or what the template asks for", () => {
  expect(madeObject({ parameters: [{ parameter_key: "create-pvc-manifest", value: '{"kind":"PersistentVolumeClaim"}' }] })).toBe("kind: PersistentVolumeClaim\n");
  expect(madeObject({ parameters: [{ parameter_key: "create-pvc-name", value: "x" }] })).toBeUndefined();
  expect(askedObject("size: '{{inputs.parameters.size}}'", { parameters: [{ parameter_key: "size", value: "1Gi" }] })).toBe("size: 1Gi\n");
});

test("a TensorBoard is made of the place that a task names", async () => {
  const fetch = stubFetch(() => ({ body: {} }));
  await renderPage(<V1View output={{ type: "tensorboard", source: "minio://mlpipeline/logs" }} namespace="ml" />, { answers: [EVERYTHING] });

  fireEvent.click(screen.getByRole("button", { name: "Start TensorBoard" }));
  await waitFor(() => expect(fetch.mock.calls.some(([, init]) => init.method === "POST")).toBe(true));
  const [path, init] = fetch.mock.calls.find(([, given]) => given.method === "POST") ?? [];
  expect(path).toContain("/namespaces/ml/tensorboards");
  expect(JSON.parse(init?.body as string)).toMatchObject({ logspath: "pvc://pipeline-artifacts/minio/mlpipeline/logs" });
});

function Menu() {
  return <ActionMenu actions={useRunActions(SUCCEEDED, "ml")} />;
}

test("a run is deleted with its artifacts after a question", async () => {
  const fetch = stubFetch(() => ({ body: {} }));
  await renderPage(<Menu />, { answers: [EVERYTHING] });

  fireEvent.click(screen.getByRole("button"));
  fireEvent.click(await screen.findByRole("menuitem", { name: /Delete with artifacts/ }));
  await screen.findByText(/unless another run uses them/);
  expect(fetch.mock.calls.filter(([, init]) => init.method === "DELETE")).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Delete with artifacts" }));
  await waitFor(() => expect(fetch.mock.calls.map(([path]) => path)).toContain("/pipeline/apis/v2beta1/runs/run-3?delete_artifacts=true"));
});
