import { expect, test } from "vitest";
import { FAILED, IR, RUNNING, SUCCEEDED, V1_RUN, WORKFLOW } from "../../samples/pipelines";
import { hasEnded, isActive, runSeconds, timeOf, type Run } from "../pipelines";
import { runGraph } from "./pipelinesGraph";
import { readSpec } from "./pipelinesSpec";
import { recordsOf } from "./pipelinesTasks";
import { runGrid, runsAround, runsByPipeline, timelineRows, timelineSpan, timelineTicks } from "./pipelinesTimeline";

const nodes = runGraph(readSpec(IR)?.steps ?? [], recordsOf(RUNNING), false);
const NOW = Date.now();

test("rows are the visible tasks in the order of their start, children below their group", () => {
  const rows = timelineRows(nodes, new Set(["root.exit-handler-1", "root.exit-handler-1.for-loop-2"]), NOW);
  expect(rows.map((row) => [row.label, row.depth])).toEqual([
    ["exit-handler-1", 0],
    ["importer", 1],
    ["prepare", 1],
    ["for-loop-2", 1],
    ["#0", 2],
    ["#1", 2],
    ["#2", 2],
    ["evaluate", 1],
    ["condition-branches-3", 1],
    ["notify", 0],
  ]);
});

test("what runs reaches to the present, what has not begun has no bar", () => {
  const rows = timelineRows(nodes, new Set(), NOW);
  expect(rows[0]?.ended).toBe(NOW);
  expect(rows[1]).toMatchObject({ label: "notify", started: undefined, ended: undefined });
  expect(timelineSpan(rows)?.[1]).toBe(NOW);
  expect(timelineSpan([])).toBeUndefined();
});

test.each([
  [10, [0, 2, 4, 6, 8, 10]],
  [90, [0, 15, 30, 45, 60, 75, 90]],
  [7200, [0, 900, 1800, 2700, 3600, 4500, 5400, 6300, 7200]],
])("an axis of %d s has round marks", (seconds, ticks) => {
  expect(timelineTicks([0, seconds * 1000], 8)).toEqual(ticks);
});

test("the grid has a column for each run, the oldest first, and a row for each outermost task", () => {
  const runs = [{ ...SUCCEEDED, created_at: "2026-01-02T00:00:00Z" }, { ...FAILED, created_at: "2026-01-01T00:00:00Z" }];
  const grid = runGrid(runs, new Map([[FAILED.run_id, FAILED]]), NOW);

  expect(grid.columns.map((column) => column.id)).toEqual([FAILED.run_id, SUCCEEDED.run_id]);
  expect(grid.tasks.map((task) => task.key)).toEqual(["exit-handler-1.importer", "exit-handler-1.prepare", "exit-handler-1.for-loop-2", "notify"]);
  expect(grid.columns.map((column) => column.cells)).toEqual([{ "exit-handler-1.importer": "succeeded", "exit-handler-1.prepare": "cached", "exit-handler-1.for-loop-2": "failed", notify: "succeeded" }, undefined]);
});

test("a v1 run has its steps in the grid too", () => {
  expect(runGrid([V1_RUN], new Map([[V1_RUN.run_id, V1_RUN]]), NOW).tasks.map((task) => task.key)).toEqual(["create-pvc", "train"]);
  expect(readSpec(WORKFLOW)?.steps).toHaveLength(4);
});

test("a time that has not come is sent as 1970", () => {
  expect([timeOf("1970-01-01T00:00:00Z"), timeOf(undefined), timeOf("2026-01-01T00:00:00Z")]).toEqual([undefined, undefined, "2026-01-01T00:00:00Z"]);
  expect(runSeconds({ run_id: "r", created_at: "2026-01-01T00:00:00Z", finished_at: "1970-01-01T00:00:00Z", state: "RUNNING" }, Date.parse("2026-01-01T00:01:00Z"))).toBe(60);
});

test.each([
  ["PENDING", true, false],
  ["RUNNING", true, false],
  ["CANCELING", false, false],
  ["FAILED", false, true],
  ["SUCCEEDED", false, true],
] as const)("a run that is %s", (state, active, ended) => {
  expect([isActive({ state }), hasEnded({ state })]).toEqual([active, ended]);
});

test.each([
  ["a run that is among the newest", "run-2", ["run-0", "run-1", "run-2", "run-3"]],
  ["an older one", "run-6", ["run-4", "run-5", "run-6", "run-7"]],
  ["the oldest one", "run-9", ["run-6", "run-7", "run-8", "run-9"]],
  ["one that is not listed", "run-x", ["run-0", "run-1", "run-2", "run-3"]],
])("the runs around %s", (_, current, shown) => {
  const runs = Array.from({ length: 10 }, (_one, index) => ({ run_id: `run-${index}` }));

  expect(runsAround(runs, current, 4).map((run) => run.run_id)).toEqual(shown);
});

test("runs are grouped by their pipeline, or by the name in the file that they were started from", () => {
  const of = (id: string, pipeline: string): Run => ({ run_id: id, pipeline_version_reference: { pipeline_id: pipeline, pipeline_version_id: "v" } });
  const inline = (id: string, name: string): Run => ({ run_id: id, pipeline_spec: { pipelineInfo: { name } } });
  const groups = runsByPipeline([of("1", "p"), inline("2", "hello"), of("3", "p"), inline("4", "other"), inline("5", "hello")]);

  expect(groups.map((group) => [group.name, group.runs.map((run) => run.run_id)])).toEqual([
    [undefined, ["1", "3"]],
    ["hello", ["2", "5"]],
    ["other", ["4"]],
  ]);
});
