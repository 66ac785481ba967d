import { describe, expect, it } from "vitest";
import { parseAnsi, withoutAnsi } from "./ansi";
import { LineCutter, fileOf, lineOf, mergeLines, parseAnchor } from "./lines";
import { findMatches, markedSpans, step } from "./search";

describe("ANSI sequences", () => {
  it.each([
    ["plain", [{ text: "plain" }]],
    ["", []],
    ["\u001b[31mred\u001b[0m then", [{ colour: "red", text: "red" }, { text: " then" }]],
    ["\u001b[1;92mok\u001b[22m!", [{ bold: true, colour: "green", text: "ok" }, { bold: false, dim: false, colour: "green", text: "!" }]],
    ["\u001b[38;5;4mblue\u001b[39m.", [{ colour: "blue", text: "blue" }, { colour: undefined, text: "." }]],
    ["\u001b[38;2;1;2;3;4mx", [{ colour: undefined, underline: true, text: "x" }]],
    ["a\u001b[2Kb\u001b]0;title\u0007c", [{ text: "a" }, { text: "b" }, { text: "c" }]],
  ])("parses %j", (line, spans) => expect(parseAnsi(line)).toEqual(spans));

  it("leaves the text alone", () => expect(withoutAnsi("\u001b[1mloss\u001b[0m=0.5")).toBe("loss=0.5"));
});

describe("lines", () => {
  it("splits off the time", () =>
    expect(lineOf("2026-11-17T10:00:00.123456789Z step=1", 7)).toEqual({
      number: 7,
      time: "2026-11-17T10:00:00.123456789Z",
      text: "step=1",
      plain: "step=1",
    }));

  it("keeps the newest state of a progress bar", () => expect(lineOf("10%\r50%\r100%\r", 1).text).toBe("100%"));

  it("keeps a line together that arrives in pieces", () => {
    const cutter = new LineCutter();
    expect(cutter.push("one\ntw").map((line) => line.text)).toEqual(["one"]);
    expect(cutter.push("o\n").map((line) => [line.number, line.text])).toEqual([[2, "two"]]);
    expect(cutter.push("three")).toEqual([]);
    expect(cutter.end().map((line) => line.text)).toEqual(["three"]);
  });

  it("merges by time, keeping lines without one behind those before them", () => {
    const a = [lineOf("2026-01-01T00:00:01Z a1", 1), lineOf("  at x", 2), lineOf("2026-01-01T00:00:03Z a3", 3)];
    const b = [lineOf("2026-01-01T00:00:01.5Z b1", 1), lineOf("2026-01-01T00:00:02Z b2", 2)];
    const merged = mergeLines([{ id: "a", lines: a }, { id: "b", lines: b }]);
    expect(merged.map((line) => line.plain)).toEqual(["a1", "  at x", "b1", "b2", "a3"]);
    expect(fileOf(merged.slice(0, 1), true)).toBe("2026-01-01T00:00:01Z [a] a1\n");
  });

  it.each([
    ["#L12", { source: undefined, number: 12 }],
    ["worker-0:L3", { source: "worker-0", number: 3 }],
    ["#other", undefined],
  ])("reads the anchor %s", (hash, anchor) => expect(parseAnchor(hash)).toEqual(anchor));
});

describe("search", () => {
  const panes = [[{ plain: "Loss 1" }, { plain: "step" }], [{ plain: "the loss" }]];

  it("finds lines of all panes, whatever the case", () =>
    expect(findMatches(panes, "LOSS")).toEqual([
      { pane: 0, index: 0 },
      { pane: 1, index: 0 },
    ]));

  it("finds nothing for nothing", () => expect(findMatches(panes, "")).toEqual([]));

  it.each([
    [3, -1, 1, 0],
    [3, 2, 1, 0],
    [3, 0, -1, 2],
    [3, -1, -1, 2],
    [0, 0, 1, -1],
  ] as const)("steps through %i matches from %i by %i", (count, current, by, next) => expect(step(count, current, by)).toBe(next));

  it("marks a match that reaches over a change of colour", () =>
    expect(markedSpans("\u001b[31mlo\u001b[0mss!", "loss").map(({ text, isMatch }) => [text, isMatch])).toEqual([
      ["lo", true],
      ["ss", true],
      ["!", false],
    ]));
});
