import { expect, test } from "vitest";
import { ALL, chosenNamespace, inNamespace } from "./namespace";
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

test.each([
  ["/", "ml", "/?ns=ml"],
  ["/_/feast/?q=a%20b#/runs?ns=vision", "ml", "/_/feast/?q=a%20b&ns=ml#/runs?ns=vision"],
  ["/jobs/?ns=vision&q=state:failed", "ml", "/jobs/?q=state:failed&ns=ml"],
  ["/jobs/?ns=", ALL, "/jobs/?ns=*"],
  ["/jobs/?ns=vision&nsx=1", "", "/jobs/?nsx=1"],
  ["/jobs/?ns=vision#line-3", "", "/jobs/#line-3"],
])("%s in %j", (href, namespace, result) => {
  expect(inNamespace(href, namespace)).toBe(result);
});
