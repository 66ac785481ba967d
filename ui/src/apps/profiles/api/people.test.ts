import { expect, test } from "vitest";
import { isNamespaceName, looksLikeEmail, suggestedNamespace } from "./people";

test.each([
  ["ada@example.com", "ada"],
  ["Ada.Lovelace@example.com", "ada-lovelace"],
  ["ada_l@example.com", "adal"],
  [".ada.@example.com", "ada"],
])("for %s the namespace %s is proposed", (user, name) => {
  expect(suggestedNamespace(user)).toBe(name);
});

test.each([
  ["ml", true],
  ["a", true],
  ["ml-2", true],
  ["", false],
  ["-ml", false],
  ["ML", false],
  ["m_l", false],
  ["a".repeat(64), false],
])("whether %s can be a namespace", (name, good) => {
  expect(isNamespaceName(name)).toBe(good);
});

test.each([
  ["bob@example.com", true],
  ["bob", false],
  ["bob@ example.com", false],
  [`${"a".repeat(250)}@example.com`, false],
])("whether %s looks like an address", (text, good) => {
  expect(looksLikeEmail(text)).toBe(good);
});
