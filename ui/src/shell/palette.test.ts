import { expect, test } from "vitest";
import { en } from "../words/en";
import { MENU, isCurrent } from "./menu";
import { actionEntries, pageEntries } from "./paletteEntries";

test("the rail has the pages of the platform and of all apps in this order", () => {
  expect(MENU.map((group) => group.map((entry) => entry.label(en)))).toEqual([
    ["Home"],
    ["Notebooks", "Training jobs", "Pipelines", "Queues", "TensorBoards", "Volumes"],
    ["Activity", "People", "All objects", "Cluster"],
  ]);
});

test("actions are in the order of the rail", () => {
  expect(actionEntries(en, () => undefined).map((entry) => entry.id)).toEqual(["new-notebook", "new-job", "new-run", "upload-pipeline", "new-board", "new-volume"]);
});

test("only an administrator finds the cluster", () => {
  const pages = (isAdmin: boolean) => pageEntries(en, isAdmin).map((entry) => entry.to);

  expect(pages(false)).not.toContain("/cluster/");
  expect(pages(true)).toContain("/cluster/");
  expect(pages(false)).toContain("/account");
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
