import { expect, test } from "vitest";
import { allows, missingAll, nameOf, rightTo } from "./rights";

const NOTEBOOKS = { group: "kubeflow.org", version: "v1", resource: "notebooks", kind: "Notebook", namespaced: true };
const PODS = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
const canDelete = rightTo("delete", NOTEBOOKS, "ml", "lab");
const rule = (verbs: string[], apiGroups: string[], resources: string[], resourceNames?: string[]) => ({ verbs, apiGroups, resources, ...(resourceNames ? { resourceNames } : {}) });

test.each([
  ["the very right", rule(["delete"], ["kubeflow.org"], ["notebooks"]), true],
  ["everything", rule(["*"], ["*"], ["*"]), true],
  ["another verb", rule(["get"], ["kubeflow.org"], ["notebooks"]), false],
  ["another group", rule(["delete"], [""], ["notebooks"]), false],
  ["another resource", rule(["delete"], ["kubeflow.org"], ["profiles"]), false],
  ["a subresource", rule(["delete"], ["kubeflow.org"], ["notebooks/status"]), false],
  ["this name", rule(["delete"], ["kubeflow.org"], ["notebooks"], ["lab"]), true],
  ["another name", rule(["delete"], ["kubeflow.org"], ["notebooks"], ["other"]), false],
  ["no names", rule(["delete"], ["kubeflow.org"], ["notebooks"], []), true],
])("a rule for %s", (_, one, allowed) => {
  expect(allows([one], canDelete)).toBe(allowed);
});

test("one rule is enough", () => {
  expect(allows([rule(["get"], ["*"], ["*"]), rule(["delete"], ["*"], ["notebooks"])], canDelete)).toBe(true);
  expect(allows([], canDelete)).toBe(false);
});

test("a right has the name that kubectl gives it", () => {
  expect([nameOf(canDelete), nameOf(rightTo("list", PODS, "ml"))]).toEqual(["delete notebooks.kubeflow.org", "list pods"]);
});

test("of rights of which one is enough, the first is named when there is none", () => {
  expect(missingAll(["create a", undefined])).toBeUndefined();
  expect(missingAll(["create a", "create b"])).toBe("create a");
});
