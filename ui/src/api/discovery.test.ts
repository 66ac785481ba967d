import { expect, test } from "vitest";
import { objectPath, resourcesOf } from "./discovery";
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
