import { expect, test } from "vitest";
import { FAILED, LOCKED, NEW, PAUSED, REFUSED, RUNNING, STOPPING, SUCCEEDED, SUSPENDED, aWorkflow } from "../../samples/workflows";
import type { Workflow } from "../../../../kinds/generated";
import { hasFailed, isOver, parametersIn, progressShare, rowOf, sourceOf, workflowPill, workflowRow, workflowSeconds, workflowState } from "./workflows";

test.each<[Workflow, string, string]>([
  [SUCCEEDED, "succeeded", "succeeded"],
  [FAILED, "failed", "failed"],
  [REFUSED, "error", "failed"],
  [RUNNING, "running", "running"],
  [PAUSED, "running", "running"],
  [SUSPENDED, "suspended", "stopped"],
  [STOPPING, "stopping", "stopped"],
  [LOCKED, "pending", "waiting"],
  [NEW, "pending", "waiting"],
  [aWorkflow("stopped", { spec: { shutdown: "Stop", suspend: true }, status: { phase: "Failed" } }), "failed", "failed"],
])("the state of a Workflow %#", (workflow, state, pill) => {
  const found = workflowState(rowOf(workflow));

  expect([found, workflowPill(found)]).toEqual([state, pill]);
});

test("a Workflow that was retried waits until its status says that it runs again", () => {
  const retried = { ...FAILED, metadata: { ...FAILED.metadata, annotations: { "pipelines.windlass.dev/retries": "1" } } };

  expect(workflowState(rowOf(retried))).toBe("pending");
  expect(workflowState(rowOf({ ...retried, status: { ...retried.status, retries: "1" } }))).toBe("failed");
});

test.each([
  ["succeeded", true, false],
  ["error", true, true],
  ["stopping", false, false],
] as const)("whether %s is the end", (state, over, bad) => {
  expect([isOver(state), hasFailed(state)]).toEqual([over, bad]);
});

const COLUMNS = ["Name", "Status", "Age", "Message", "Progress", "Started", "Finished", "Suspended", "Shutdown"];
const METADATA = { name: "a", namespace: "ml", uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z", labels: { x: "y" } };

test("a printed row is read by the names of its columns, and once", () => {
  const printed = { metadata: METADATA, cells: ["a", "Running", "5m", "waits", "1/2", "2026-01-01T00:00:01Z", null, true, null] };
  const row = workflowRow(printed, COLUMNS);

  expect(row).toEqual({ name: "a", namespace: "ml", uid: "u", created: METADATA.creationTimestamp, labels: { x: "y" }, phase: "Running", message: "waits", progress: "1/2", started: "2026-01-01T00:00:01Z", finished: undefined, isSuspended: true, shutdown: "" });
  expect(workflowRow(printed, COLUMNS)).toBe(row);
});

test("a server that prints fewer columns leaves fields empty", () => {
  const row = workflowRow({ metadata: METADATA, cells: ["a", "Failed"] }, ["Name", "Status"]);

  expect([row.phase, row.progress, row.started, row.isSuspended]).toEqual(["Failed", "", undefined, false]);
});

test.each([
  [{ started: undefined, finished: undefined }, undefined],
  [{ started: "2026-01-01T00:00:00Z", finished: undefined }, 60],
  [{ started: "2026-01-01T00:00:00Z", finished: "2026-01-01T00:00:07Z" }, 7],
])("how long %j took", (row, seconds) => {
  expect(workflowSeconds(row, Date.parse("2026-01-01T00:01:00Z"))).toBe(seconds);
});

test.each([
  ["", undefined],
  ["0/0", undefined],
  ["1/4", 0.25],
])("the share of %j", (progress, share) => {
  expect(progressShare(progress)).toBe(share);
});

test.each([
  [{ "workflows.argoproj.io/cron-workflow": "nightly" }, {}, { kind: "CronWorkflow", name: "nightly" }],
  [{ "workflows.argoproj.io/workflow-template": "t" }, {}, { kind: "WorkflowTemplate", name: "t" }],
  [{ "workflows.argoproj.io/cluster-workflow-template": "t" }, {}, { kind: "ClusterWorkflowTemplate", name: "t" }],
  [{ "workflows.argoproj.io/resubmitted-from-workflow": "w" }, {}, { kind: "Workflow", name: "w" }],
  [{}, { workflowTemplateRef: { name: "t" } }, { kind: "WorkflowTemplate", name: "t" }],
  [{}, { workflowTemplateRef: { name: "t", clusterScope: true } }, { kind: "ClusterWorkflowTemplate", name: "t" }],
  [{}, {}, undefined],
] as [Record<string, string>, object, unknown][])("what a Workflow was made from %#", (labels, spec, source) => {
  expect(sourceOf(labels, spec)).toEqual(source);
});

test("parameters have their value, else their default", () => {
  expect(parametersIn([{ name: "a", value: "1", default: "2" }, { name: "b", default: "2" }, { name: "c" }])).toEqual({ a: "1", b: "2", c: "" });
});
