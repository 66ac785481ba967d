import { describe, expect, test } from "vitest";
import type { ObjectRef, VolumeRow } from "./generated";
import { consumerPath, creationBody, creationErrors, creationManifest, resizeError, usedPart, volumeState, volumeWord, type VolumeCreation } from "./volumes";

test.each([
  ["ready", "succeeded", "bound"],
  ["unavailable", "waiting", "firstUse"],
  ["waiting", "waiting", "provisioning"],
  ["warning", "failed", "failing"],
  ["terminating", "stopped", "deleting"],
] as const)("%s", (phase: VolumeRow["status"]["phase"], state, word) => {
  const row = { status: { phase, message: "", state: "" } };
  expect(volumeState(row)).toBe(state);
  expect(volumeWord(row)).toBe(word);
});

test.each([
  [512, 1024, 0.5],
  [null, 1024, undefined],
  [1, 0, undefined],
])("%s of %s", (usedBytes, capacityBytes, part) => expect(usedPart({ usedBytes, capacityBytes })).toBe(part));

const ref = (apiVersion: string, kind: string, name: string): ObjectRef => ({ apiVersion, kind, namespace: "ml", name, uid: "" });

test.each([
  [ref("kubeflow.org/v1", "Notebook", "lab"), "/jupyter/notebook/details/ml/lab"],
  [ref("tensorboard.kubeflow.org/v1alpha1", "Tensorboard", "runs"), "/tensorboards/details/ml/runs"],
  [ref("kubeflow.org/v1", "PyTorchJob", "fit"), "/jobs/PyTorchJob/ml/fit"],
  [ref("v1", "Pod", "p"), "/objects/core/v1/pods/ml/p"],
  [ref("apps/v1", "Deployment", "web"), "/objects/apps/v1/deployments/ml/web"],
])("the page of %j", (one, path) => expect(consumerPath(one)).toBe(path));

test.each([
  ["20Gi", undefined],
  ["10Gi", "smaller"],
  ["5Gi", "smaller"],
  ["large", "size"],
])("resize to %s", (size, error) => expect(resizeError(size, 10 * 2 ** 30)).toBe(error));

const form = (change: Partial<VolumeCreation>): VolumeCreation => ({
  name: "data",
  storageClass: "{empty}",
  mode: "ReadWriteOnce",
  size: "10Gi",
  type: "empty",
  snapshot: "",
  source: "",
  ...change,
});

describe("a new volume", () => {
  test.each<[Partial<VolumeCreation>, Record<string, string>]>([
    [{}, { name: "data", mode: "ReadWriteOnce", class: "{empty}", size: "10Gi", type: "empty" }],
    [{ type: "snapshot", snapshot: "monday" }, { name: "data", mode: "ReadWriteOnce", class: "{empty}", size: "10Gi", type: "snapshot", snapshot: "monday" }],
    [{ type: "clone", source: "old" }, { name: "data", mode: "ReadWriteOnce", class: "{empty}", size: "10Gi", type: "clone", source: "old" }],
  ])("%j", (change, body) => expect(creationBody(form(change))).toEqual(body));

  test("as a manifest", () => {
    expect(creationManifest(form({ storageClass: "{none}", type: "clone", source: "old" }), "ml")).toMatchObject({
      metadata: { name: "data", namespace: "ml" },
      spec: { storageClassName: "", dataSource: { kind: "PersistentVolumeClaim", name: "old" } },
    });
    expect(creationManifest(form({}), "ml")["spec"]).not.toHaveProperty("storageClassName");
  });

  test.each<[Partial<VolumeCreation>, string, string]>([
    [{ name: "" }, "name", "required"],
    [{ name: "Data" }, "name", "nameCharacters"],
    [{ name: "taken" }, "name", "nameUsed"],
    [{ size: "0" }, "size", "size"],
    [{ type: "snapshot" }, "snapshot", "required"],
    [{ type: "clone" }, "source", "required"],
  ])("%j is wrong", (change, field, error) => expect(creationErrors(form(change), ["taken"])[field]).toBe(error));
});
