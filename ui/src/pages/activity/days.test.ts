import { expect, test } from "vitest";
import { APPS } from "../../apps";
import { KINDS, type Event } from "../../kinds/generated";
import { byDay, pageOf, timeOf } from "./days";

const event = (name: string, times: Partial<Event>): Event => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: "2026-11-10T12:00:00Z" },
  ...times,
});

test("days and the events in them are newest first", () => {
  const days = byDay([
    event("old", { lastTimestamp: "2026-11-15T12:00:00Z" }),
    event("first", { lastTimestamp: "2026-11-17T12:00:00Z" }),
    event("second", { lastTimestamp: "2026-11-17T12:30:00Z" }),
  ]);

  expect(days.map(([, events]) => events.map(({ event: one }) => one.metadata.name))).toEqual([["second", "first"], ["old"]]);
});

test.each<[Partial<Event>, string]>([
  [{ lastTimestamp: "2026-11-17T12:00:00Z", firstTimestamp: "2026-11-11T12:00:00Z" }, "2026-11-17T12:00:00Z"],
  [{ eventTime: "2026-11-16T12:00:00Z", firstTimestamp: "2026-11-11T12:00:00Z" }, "2026-11-16T12:00:00Z"],
  [{ firstTimestamp: "2026-11-11T12:00:00Z" }, "2026-11-11T12:00:00Z"],
  [{}, "2026-11-10T12:00:00Z"],
])("the newest time of %j", (times, newest) => {
  expect(timeOf(event("one", times))).toBe(newest);
});

test.each([
  [{ kind: "Notebook", namespace: "ml", name: "lab" }, "/jupyter/notebook/details/ml/lab"],
  [{ kind: "PersistentVolumeClaim", namespace: "ml", name: "data" }, "/volumes/details/ml/data"],
  [{ kind: "Workflow", namespace: "ml", name: "nightly", apiVersion: "argoproj.io/v1alpha1" }, "/pipelines/workflows/ml/nightly"],
  [{ kind: "CronWorkflow", namespace: "ml", name: "nightly", apiVersion: "argoproj.io/v1alpha1" }, "/pipelines/cron-workflows/ml/nightly"],
  [{ kind: "PyTorchJob", namespace: "ml", name: "bert", apiVersion: "kubeflow.org/v1" }, "/jobs/PyTorchJob/ml/bert"],
  [{ kind: "Job", namespace: "ml", name: "one", apiVersion: "batch/v1" }, "/objects/batch/v1/jobs/ml/one"],
  [{ kind: "Pod", namespace: "ml", name: "lab-0", apiVersion: "v1" }, "/objects/core/v1/pods/ml/lab-0"],
  [{ kind: "Node", namespace: "default", name: "one", apiVersion: "v1" }, "/objects/core/v1/nodes/-/one"],
  [{ kind: "Pod", namespace: "ml", name: "lab-0" }, undefined],
  [{ kind: "Pod", namespace: "ml", name: "lab-0", apiVersion: "example.com/v1" }, undefined],
  [{}, undefined],
])("the page of %j", (object, page) => {
  expect(pageOf(object, [KINDS.Pod, KINDS.Node, { group: "batch", version: "v1", resource: "jobs", kind: "Job", namespaced: true }], APPS)).toBe(page);
});
