import { describe, expect, it } from "vitest";
import { difference, foldRanges, pathKeys, rangeOf, syntaxProblem } from "./positions";

const TEXT = `apiVersion: kubeflow.org/v1
metadata:
  name: fit
  managedFields:
  - manager: kubectl
    operation: Update
spec:
  tfReplicaSpecs:
    PS:
      replicas: -1
      template:
        spec:
          containers:
          - name: tensorflow
            image: none
status:
  phase: Running
  conditions: []
`;

const at = (path: string): string => {
  const { from, to } = rangeOf(TEXT, path);
  return TEXT.slice(from, to);
};

describe("the place of a field", () => {
  it.each([
    ["spec.tfReplicaSpecs.PS.replicas", "replicas: -1"],
    ["spec.tfReplicaSpecs[PS].replicas", "replicas: -1"],
    ["spec.tfReplicaSpecs.PS.template.spec.containers[0].image", "image: none"],
    ["spec.tfReplicaSpecs.PS.template.spec.containers[0].command", "name: tensorflow"],
    ["spec.tfReplicaSpecs.Worker.replicas", "tfReplicaSpecs:"],
    ["", "apiVersion: kubeflow.org/v1"],
  ])("%s", (path, text) => expect(at(path)).toBe(text));

  it("splits keys with dots in brackets", () => expect(pathKeys("metadata.labels[a.b/c]")).toEqual(["metadata", "labels", "a.b/c"]));
});

it("folds managedFields and status", () =>
  expect(foldRanges(TEXT).map(({ from, to }) => TEXT.slice(from, to).trim())).toEqual([
    "- manager: kubectl\n    operation: Update",
    "phase: Running\n  conditions: []",
  ]));

it.each([
  ["a: 1\nb: 2\n", "a: 1\nb: 3\n", { from: 8, to: 9, insert: "3" }],
  ["ab", "aab", { from: 1, to: 1, insert: "a" }],
  ["same", "same", undefined],
])("changes %j to %j by the smallest replacement", (before, after, change) => expect(difference(before, after)).toEqual(change));

it("finds a mistake in the text", () => {
  expect(syntaxProblem("a: [1, 2\nb: 3")?.message).toBeTruthy();
  expect(syntaxProblem("a: 1")).toBeUndefined();
});
