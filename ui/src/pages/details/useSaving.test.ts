import { afterEach, expect, test, vi } from "vitest";
import { stubFetch } from "../../testing/render";
import { replaceEdited } from "./useSaving";

const NOTES = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true };
const note = (resourceVersion: string, data: Record<string, string>) => ({ metadata: { name: "note", resourceVersion }, data });
const BASE = note("1", { mine: "one", theirs: "one" });
const CONFLICT = { status: 409, body: { reason: "Conflict", message: "the object has been modified" } };

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A server whose object is `stored`, and that refuses what was not made of it. */
function serving(stored: typeof BASE): unknown[] {
  const taken: unknown[] = [];
  stubFetch((method, _path, init) => {
    if (method === "GET") return { body: stored };
    const sent = JSON.parse(init.body as string) as typeof BASE;
    if (sent.metadata.resourceVersion !== stored.metadata.resourceVersion) return CONFLICT;
    taken.push(sent.data);
    return { body: sent };
  });
  return taken;
}

const save = () => replaceEdited(NOTES, { namespace: "ml", name: "note" }, BASE, note("1", { mine: "two", theirs: "one" }), BASE);

test("a change that the page does not know of yet is kept", async () => {
  const taken = serving(note("2", { mine: "one", theirs: "two" }));

  await save();

  expect(taken).toEqual([{ mine: "two", theirs: "two" }]);
});

test("nothing is saved over a change of the same field", async () => {
  const taken = serving(note("2", { mine: "three", theirs: "one" }));

  await expect(save()).rejects.toMatchObject({ reason: "Conflict" });
  expect(taken).toEqual([]);
});
