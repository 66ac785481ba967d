import { expect, test } from "vitest";
import { VOLUME } from "../apps/volumes/samples";
import { TENSORBOARD } from "../apps/tensorboards/samples";
import { notebookRow } from "../apps/notebooks/samples";
import { jobRow } from "../apps/training/samples";
import { en } from "../words/en";
import { isCurrent } from "./menu";
import { actionEntries, objectEntries, pageEntries } from "./paletteEntries";

test("only an administrator finds the cluster", () => {
  const pages = (isAdmin: boolean) => pageEntries(en, isAdmin).map((entry) => entry.to);

  expect(pages(false)).not.toContain("/cluster/");
  expect(pages(true)).toContain("/cluster/");
  expect(pages(false)).toContain("/account");
});

test("objects of every kind are found, each with its page", () => {
  const entries = objectEntries(en, {
    jobs: { rows: [jobRow("bert", "Running")], kinds: ["PyTorchJob"] },
    notebooks: { rows: [notebookRow("lab", "ready")] },
    tensorboards: { rows: [TENSORBOARD] },
    volumes: { rows: [VOLUME] },
  });

  expect(entries.map((entry) => [entry.label, entry.to])).toEqual([
    ["lab", "/jupyter/notebook/details/ml/lab"],
    ["bert", "/jobs/PyTorchJob/ml/bert"],
    ["bert-curves", "/tensorboards/details/ml/bert-curves"],
    ["datasets", "/volumes/details/ml/datasets"],
  ]);
});

test("what is not known yet is not found", () => {
  expect(objectEntries(en, { jobs: undefined, notebooks: undefined, tensorboards: undefined, volumes: undefined })).toEqual([]);
});

test("no two entries have one id", () => {
  const ids = [...pageEntries(en, true), ...actionEntries(en, () => undefined)].map((entry) => entry.id);

  expect(new Set(ids).size).toBe(ids.length);
});

test("an action that is forbidden names the right", () => {
  const lacks = (...resources: { resource: string }[]) => (resources.some((one) => one.resource === "pytorchjobs") ? undefined : `create ${resources[0]?.resource ?? ""}`);

  expect(Object.fromEntries(actionEntries(en, lacks).map((entry) => [entry.id, entry.missing]))).toMatchObject({
    "new-notebook": "create notebooks",
    "new-job": undefined,
    "new-run": "create runs",
    "upload-pipeline": "create pipelines",
    "new-board": "create tensorboards",
    "new-volume": "create persistentvolumeclaims",
  });
});

test.each([
  ["/", "/", true],
  ["/", "/jobs/", false],
  ["/jobs/", "/jobs/PyTorchJob/ml/bert", true],
  ["/activity", "/activity", true],
  ["/activity", "/activity-of-others", false],
])("whether %s is current at %s", (entry, path, current) => {
  expect(isCurrent(entry, path)).toBe(current);
});
