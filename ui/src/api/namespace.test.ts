import { expect, test } from "vitest";
import { ALL, chosenNamespace } from "./namespace";
import type { Membership } from "./session";

const SHARED: Membership = { namespace: "vision", role: "contributor" };
const OWN: Membership = { namespace: "ml", role: "owner" };

test.each<[string, string | undefined, string | null, Membership[], string]>([
  ["the URL wins", "vision", "ml", [OWN, SHARED], "vision"],
  ["even with one that is not the person's", "other", null, [OWN], "other"],
  ["then the last choice", undefined, "vision", [OWN, SHARED], "vision"],
  ["all namespaces can be the last choice", undefined, ALL, [OWN], ALL],
  ["a last choice that was taken away does not count", undefined, "gone", [SHARED, OWN], "ml"],
  ["an empty one in the URL does not count", "", null, [OWN], "ml"],
  ["then the first that the person owns", undefined, null, [SHARED, OWN], "ml"],
  ["then the first that is shared", undefined, null, [SHARED], "vision"],
  ["there may be none", undefined, "ml", [], ""],
])("%s", (_, inUrl, stored, memberships, chosen) => {
  expect(chosenNamespace(inUrl, stored, memberships)).toBe(chosen);
});
