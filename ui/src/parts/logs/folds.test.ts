import { describe, expect, it } from "vitest";
import { foldsOf, rowAt, rowsOf } from "./folds";

const lines = (...texts: string[]) => texts.map((plain) => ({ plain }));
const frames = (count: number) => Array.from({ length: count }, (_, index) => `  File "train.py", line ${index}, in step`);

describe("folds", () => {
  it.each([
    ["##[group]Install", "##[endgroup]"],
    ["::group::Install", "::endgroup::"],
  ])("go from %s to its end", (begin, end) =>
    expect(foldsOf(lines("before", begin, "one", "two", end, "after"))).toEqual([{ head: 1, last: 4, title: "Install", isOpen: false }]),
  );

  it("end where the next group begins", () =>
    expect(foldsOf(lines("::group::a", "1", "::group::b", "2")).map(({ title, last, isOpen }) => [title, last, isOpen])).toEqual([
      ["a", 1, false],
      ["b", 3, true],
    ]));

  it("hide the frames of a long traceback and leave its error", () =>
    expect(foldsOf(lines("Traceback (most recent call last):", ...frames(9), "ValueError: no data", "next"))).toEqual([
      { head: 0, last: 9, title: "", isOpen: false },
    ]));

  it("leave a short traceback as it is", () => expect(foldsOf(lines("Traceback (most recent call last):", ...frames(3), "ValueError"))).toEqual([]));

  it("take nothing else for a group", () => expect(foldsOf(lines("::warning::x", "see ::group:: above", "##[endgroup]"))).toEqual([]));
});

describe("rows", () => {
  const folds = foldsOf(lines("a", "::group::g", "1", "2", "::endgroup::", "b"));
  const shown = (chosen: Map<number, boolean>, unfolded = false) => rowsOf(6, folds, chosen, () => unfolded).map((row) => row.index);

  it("hide what is folded", () => expect(shown(new Map())).toEqual([0, 1, 5]));
  it("show what a person has opened", () => expect(shown(new Map([[1, false]]))).toEqual([0, 1, 2, 3, 4, 5]));
  it("show everything while one searches", () => expect(shown(new Map([[1, true]]), true)).toHaveLength(6));
  it("show a group that is being written", () => expect(rowsOf(3, foldsOf(lines("::group::g", "1", "2")), new Map(), () => false)).toHaveLength(3));
  it("are found by their line", () => {
    const rows = rowsOf(6, folds, new Map(), () => false);
    expect([0, 5, 3].map((index) => rowAt(rows, index))).toEqual([0, 2, -1]);
  });
});
