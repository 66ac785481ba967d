import { expect, it } from "vitest";
import { linesOf, mapOf, mapText, numberOf, textOf } from "./values";

it.each([
  ["", undefined],
  ["3", 3],
  ["0.5", 0.5],
  ["many", "many"],
])("reads the number %j", (text, value) => expect(numberOf(text)).toBe(value));

it.each([
  [undefined, ""],
  [null, ""],
  [0, "0"],
  [false, "false"],
  [{ a: 1 }, '{"a":1}'],
])("writes %j", (value, text) => expect(textOf(value)).toBe(text));

it("reads and writes maps and lists by line", () => {
  expect(mapOf("a=1\nb=x=y")).toEqual({ a: "1", b: "x=y" });
  expect(mapText({ a: "1", b: "x=y" })).toBe("a=1\nb=x=y");
  expect(mapOf("")).toBeUndefined();
  expect(linesOf("a\nb")).toEqual(["a", "b"]);
  expect(linesOf("")).toBeUndefined();
});
