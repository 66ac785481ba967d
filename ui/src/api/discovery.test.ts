import { expect, test } from "vitest";
import { objectPath, printRows, printedKey, resourcesOf, type Table } from "./discovery";
import { pathOf } from "./k8s";

const one = (resource: string, kind: string, scope = "Namespaced", verbs = ["get", "list"]) => ({ resource, responseKind: { kind }, scope, verbs });
const NOTEBOOKS = { group: "kubeflow.org", version: "v1", resource: "notebooks", kind: "Notebook", namespaced: true };
const NODES = { group: "", version: "v1", resource: "nodes", kind: "Node", namespaced: false };

test("each resource that can be listed is given once, in the preferred version", () => {
  const found = resourcesOf({
    items: [
      { versions: [{ version: "v1", resources: [one("nodes", "Node", "Cluster"), one("bindings", "Binding", "Namespaced", ["create"])] }] },
      {
        metadata: { name: "kubeflow.org" },
        versions: [
          { version: "v1", resources: [one("notebooks", "Notebook")] },
          { version: "v1beta1", resources: [one("notebooks", "Notebook")] },
        ],
      },
      { metadata: { name: "broken.example.com" }, versions: [] },
    ],
  });

  expect(found).toEqual([NODES, NOTEBOOKS]);
});

test.each([
  [objectPath(NOTEBOOKS), "/objects/kubeflow.org/v1/notebooks"],
  [objectPath(NOTEBOOKS, { namespace: "ml", name: "lab" }), "/objects/kubeflow.org/v1/notebooks/ml/lab"],
  [objectPath(NODES, { namespace: "", name: "node-1" }), "/objects/core/v1/nodes/-/node-1"],
  [pathOf(NOTEBOOKS, "ml", "lab"), "/api/k8s/apis/kubeflow.org/v1/namespaces/ml/notebooks/lab"],
  [pathOf(NOTEBOOKS), "/api/k8s/apis/kubeflow.org/v1/notebooks"],
  [pathOf(NODES, "ml", "a/b", "status"), "/api/k8s/api/v1/nodes/a%2Fb/status"],
])("%s", (path, expected) => {
  expect(path).toBe(expected);
});

const table = (...cells: unknown[][]) => ({
  columnDefinitions: [
    { name: "Name", type: "string", format: "name" },
    { name: "Status", type: "string" },
    { name: "Age", type: "string" },
  ],
  rows: cells.map((one) => ({ cells: one, object: null })),
});

const printedCells = (printed: Table, namespace: string, before?: Map<string, unknown[]>) => {
  const cells = new Map<string, unknown[]>();
  printRows(cells, printed, namespace, before);
  return cells;
};

test("printed rows are found by the names of their objects", () => {
  const found = printedCells(table(["a", "Running", "1s"]), "ml");

  expect(found.get(printedKey({ name: "a", namespace: "ml" }))).toEqual(["a", "Running", "1s"]);
});

test("rows of several namespaces are distinguished", () => {
  const rows = ["ml", "web"].map((namespace) => ({ cells: ["a", namespace, "1s"], object: { metadata: { name: "a", namespace } } }));

  expect(printedCells({ ...table(), rows }, "").get("web/a")).toEqual(["a", "web", "1s"]);
});

test("cells that say the same stay the same, however old", () => {
  const before = printedCells(table(["a", "Running", "1s"], ["b", "Running", "1s"]), "ml");
  const after = printedCells(table(["a", "Running", "6s"], ["b", "Failed", "6s"]), "ml", before);

  expect(after.get("ml/a")).toBe(before.get("ml/a"));
  expect(after.get("ml/b")).toEqual(["b", "Failed", "6s"]);
});
