import { describe, expect, test } from "vitest";
import type { ObjectRef, VolumeRow } from "../../../kinds/generated";
import { consumerPath, creationErrors, creationManifest, resizeError, usedPart, volumeState, volumeWord, type VolumeCreation } from "./volumes";

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
  test.each<[Partial<VolumeCreation>, unknown]>([
    [{}, undefined],
    [{ type: "snapshot", snapshot: "monday" }, { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "monday" }],
    [{ type: "clone", source: "old" }, { kind: "PersistentVolumeClaim", name: "old" }],
  ])("%j begins with its source", (change, source) => expect((creationManifest(form(change))["spec"] as Record<string, unknown>)["dataSource"]).toEqual(source));

  test("as a manifest", () => {
    expect(creationManifest(form({ storageClass: "{none}", type: "clone", source: "old" }))).toMatchObject({
      metadata: { name: "data" },
      spec: { storageClassName: "", dataSource: { kind: "PersistentVolumeClaim", name: "old" } },
    });
    expect(creationManifest(form({}))["spec"]).not.toHaveProperty("storageClassName");
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
