import { describe, expect, it } from "vitest";
import type { ReplicaRow, Series } from "../../../kinds/generated";
import { curveGroups, kindLabel, replicaOf, resourceOf, usageSeries } from "./jobs";

const replica = (change: Partial<ReplicaRow>): ReplicaRow => ({
  role: "Worker",
  index: 0,
  name: "worker-0",
  pod: "fit-worker-0",
  uid: "u",
  node: "n1",
  phase: "Running",
  ready: true,
  restarts: 0,
  exitCode: null,
  why: null,
  container: "pytorch",
  started: null,
  ended: null,
  usage: { cpuCores: 0.5, memoryBytes: 10 },
  ...change,
});

const why = { code: "ImagePullBackOff", sentence: "no such image", reason: null, details: {}, fixes: [] };

describe("a replica as a cell", () => {
  it.each([
    [{}, "running", "Running"],
    [{ phase: "Pending", node: "" }, "waiting", "Pending"],
    [{ phase: "Pending", why }, "failed", "ImagePullBackOff"],
    [{ phase: "Pending", node: "", why }, "waiting", "ImagePullBackOff"],
    [{ phase: "Absent", pod: "", node: "" }, "stopped", "Absent"],
    [{ phase: "Odd" }, "unknown", "Odd"],
  ])("%j is %s", (change, state, word) => expect(replicaOf(replica(change), "ml", [], [])).toMatchObject({ state, word }));

  it("has the use of its own pod", () => {
    const points = [
      { timestamp: 1, label: "ml/fit-worker-0", value: 0.1 },
      { timestamp: 1, label: "ml/other", value: 9 },
      { timestamp: 2, label: "ml/fit-worker-0", value: 0.2 },
    ];
    expect(replicaOf(replica({}), "ml", points, []).cpu).toEqual([0.1, 0.2]);
    expect(usageSeries(points, [replica({}), replica({ name: "worker-1", pod: "" })], "ml")).toEqual([
      { id: "worker-0", label: "worker-0", x: [1, 2], y: [0.1, 0.2] },
    ]);
  });
});

it("makes a plot of each metric", () => {
  const series = (name: string, where: string): Series => ({ name, replica: where, run: "", source: "log", x: "step", steps: [1], values: [2], times: [], total: 1 });
  const groups = curveGroups([series("loss", "worker-0"), series("loss", "worker-1"), series("accuracy", "worker-0")]);
  expect(groups.map((group) => [group.name, group.series.map((one) => one.label)])).toEqual([
    ["loss", ["worker-0", "worker-1"]],
    ["accuracy", ["worker-0"]],
  ]);
});

it("knows where a kind is served, in the version of the object", () => {
  expect(resourceOf({ kind: "MPIJob", apiVersion: "kubeflow.org/v2beta1" })).toMatchObject({ version: "v2beta1", resource: "mpijobs" });
  expect(resourceOf({ kind: "Job", apiVersion: "batch.volcano.sh/v1alpha1" })).toMatchObject({ group: "batch.volcano.sh" });
  expect(resourceOf({ kind: "Nothing" })).toBeUndefined();
  expect(kindLabel({ kind: "Job", apiVersion: "batch.volcano.sh/v1alpha1" })).toBe("Volcano Job");
});
