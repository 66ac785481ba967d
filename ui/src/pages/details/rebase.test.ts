import { expect, test } from "vitest";
import { clashesOf, rebase } from "./rebase";

const BASE = { metadata: { name: "a", resourceVersion: "1", labels: { team: "ml" } }, spec: { replicas: 1, args: ["x"] }, status: { ready: 0 } };

const changed = (change: object): typeof BASE => ({ ...BASE, ...change });

test("a change of the status does not stand in the way of one of the spec", () => {
  const mine = changed({ spec: { replicas: 3, args: ["x"] } });
  const theirs = changed({ metadata: { ...BASE.metadata, resourceVersion: "2" }, status: { ready: 1 } });

  expect(clashesOf(BASE, mine, theirs)).toEqual([]);
  expect(rebase(BASE, mine, theirs)).toEqual({ ...theirs, spec: { replicas: 3, args: ["x"] } });
});

test("fields that both changed are named, and mine is kept", () => {
  const mine = changed({ spec: { replicas: 3, args: ["y"] } });
  const theirs = changed({ metadata: { ...BASE.metadata, resourceVersion: "2" }, spec: { replicas: 5, args: ["z"] } });

  expect(clashesOf(BASE, mine, theirs)).toEqual(["spec.replicas", "spec.args"]);
  expect(rebase(BASE, mine, theirs)).toEqual({ ...theirs, spec: { replicas: 3, args: ["y"] } });
});

test("what I removed stays removed, and what others added stays", () => {
  const mine = changed({ metadata: { name: "a", resourceVersion: "1", labels: {} } });
  const theirs = changed({ metadata: { ...BASE.metadata, resourceVersion: "2", labels: { team: "ml", stage: "test" } } });

  expect(clashesOf(BASE, mine, theirs)).toEqual([]);
  expect(rebase(BASE, mine, theirs)).toEqual({ ...BASE, metadata: { name: "a", resourceVersion: "2", labels: { stage: "test" } } });
});

test("the same change by both is none to ask about", () => {
  const same = changed({ spec: { replicas: 3, args: ["x"] } });

  expect(clashesOf(BASE, same, same)).toEqual([]);
});
