import { expect, test } from "vitest";
import type { TensorboardRow, Why } from "../../../kinds/generated";
import { boardErrors, boardManifest, boardState, boardWord, hasNoEvents, logspathOf, type BoardForm } from "./tensorboards";

const why: Why = { code: "ErrImagePull", sentence: "", reason: null, details: {}, fixes: [] };
const row = (phase: TensorboardRow["status"]["phase"], state: string, reason: Why | null) => ({ status: { phase, message: "", state }, why: reason });

test.each([
  ["ready", "", null, "running", "running"],
  ["ready", "NoEventFiles", null, "running", "running"],
  ["unavailable", "", null, "waiting", "starting"],
  ["unavailable", "ClaimNotFound", null, "failed", "failing"],
  ["unavailable", "", why, "failed", "failing"],
  ["terminating", "", null, "stopped", "deleting"],
] as const)("%s %s", (phase, state, reason, expected, word) => {
  expect(boardState(row(phase, state, reason))).toBe(expected);
  expect(boardWord(row(phase, state, reason))).toBe(word);
});

test("one without event files runs", () => {
  expect(hasNoEvents(row("ready", "NoEventFiles", null))).toBe(true);
  expect(hasNoEvents(row("ready", "", null))).toBe(false);
});

const form = (change: Partial<BoardForm>): BoardForm => ({ name: "runs", storage: "pvc", claim: "first-workspace", path: "", link: "", configurations: [], ...change });

test.each([
  [{}, "pvc://first-workspace"],
  [{ path: "/logs/run1/" }, "pvc://first-workspace/logs/run1"],
  [{ storage: "store", link: " s3://bucket/logs " }, "s3://bucket/logs"],
] as const)("%j reads %s", (change, path) => expect(logspathOf(form(change))).toBe(path));

test("the body carries the labels", () => {
  expect(boardManifest(form({ configurations: ["team"] }))).toMatchObject({ metadata: { name: "runs", labels: { team: "true" } }, spec: { logspath: "pvc://first-workspace" } });
});

test.each<[Partial<BoardForm>, string, string]>([
  [{ name: "" }, "name", "required"],
  [{ name: "Runs" }, "name", "nameCharacters"],
  [{ name: "a".repeat(51) }, "name", "nameLength"],
  [{ name: "taken" }, "name", "nameUsed"],
  [{ claim: "" }, "claim", "required"],
  [{ storage: "store", link: "bucket/logs" }, "link", "link"],
])("%j is wrong", (change, field, error) => expect(boardErrors(form(change), ["taken"])[field]).toBe(error));

test("a complete form is right", () => expect(boardErrors(form({}), [])).toEqual({}));
