import { expect, test } from "vitest";
import type { Series } from "../../../kinds/generated";
import { MAX_COMPARED_JOBS, comparedCurves, comparedJobs, jobId, jobLabels } from "./jobsCompare";

const series = (change: Partial<Series> = {}): Series => ({ name: "loss", replica: "worker-0", run: "", source: "log", x: "step", steps: [1, 2], values: [2, 1], times: [], total: 2, ...change });
const job = (name: string, ...all: Series[]) => ({ kind: "PyTorchJob", namespace: "ml", name, series: all });

test.each([
  [undefined, []],
  ["", []],
  ["PyTorchJob/ml/a,PyTorchJob/ml/a,TFJob/ml/b", ["PyTorchJob/ml/a", "TFJob/ml/b"]],
  ["a,b/c,//,PyTorchJob/ml/a/b", []],
])("the jobs of %s", (text, ids) => {
  expect(comparedJobs(text).map(jobId)).toEqual(ids);
});

test("jobs that the palette has no colour for are left out", () => {
  const many = Array.from({ length: MAX_COMPARED_JOBS + 3 }, (_, index) => `TFJob/ml/j${index}`);

  expect(comparedJobs(many.join()).map(jobId)).toEqual(many.slice(0, MAX_COMPARED_JOBS));
});

test.each([
  [["TFJob/ml/a", "TFJob/ml/b"], ["a", "b"]],
  [["TFJob/ml/a", "TFJob/test/a"], ["ml/a", "test/a"]],
  [["TFJob/ml/a", "MPIJob/ml/a"], ["TFJob/ml/a", "MPIJob/ml/a"]],
])("%s are called %s", (ids, labels) => {
  expect(jobLabels(comparedJobs(ids.join()))).toEqual(labels);
});

test("a metric is one plot, in which each job has a line of its colour", () => {
  const groups = comparedCurves([job("a", series()), job("b", series({ values: [4, 3] }))]);

  expect(groups.map((group) => [group.name, group.x])).toEqual([["loss", "step"]]);
  expect(groups[0]?.series.map(({ label, colour, y, isDashed }) => [label, colour, y, isDashed])).toEqual([
    ["a", 0, [2, 1], false],
    ["b", 1, [4, 3], false],
  ]);
});

test("replicas are one line, and runs of TensorBoard one each", () => {
  const runs = ["train", "validation"].map((run) => series({ run, replica: "", source: "tensorboard" }));
  const groups = comparedCurves([job("a", series(), series({ replica: "worker-1" })), job("b", ...runs)]);

  expect(groups[0]?.series.map(({ label, colour, isDashed }) => [label, colour, isDashed])).toEqual([
    ["a", 0, false],
    ["b", 1, false],
    ["b · validation", 1, true],
  ]);
});

test("steps and epochs are not drawn over one axis", () => {
  const groups = comparedCurves([job("a", series({ x: "epoch" })), job("b", series()), job("c", series())]);

  expect(groups.map((group) => [group.x, group.series.map((one) => one.label)])).toEqual([
    ["step", ["b", "c"]],
    ["epoch", ["a"]],
  ]);
});

test("a job keeps its colour in plots that others are not in", () => {
  const groups = comparedCurves([job("a", series()), job("b", series(), series({ name: "accuracy" }))]);

  expect(groups.find((group) => group.name === "accuracy")?.series.map((one) => one.colour)).toEqual([1]);
});
