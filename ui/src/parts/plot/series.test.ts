import { describe, expect, it } from "vitest";
import { align, bytesText, colourToken, compactNumber, coresText, downsample, nearestValue, positiveOnly, smooth, type PlotSeries } from "./series";

const series = (id: string, x: number[], y: (number | null)[]): PlotSeries => ({ id, label: id, x, y });

describe("smoothing", () => {
  it("leaves values alone with weight 0", () => expect(smooth([1, 2, 3], 0)).toEqual([1, 2, 3]));

  it("starts at the first value and follows slowly", () => {
    const [first, second, third] = smooth([10, 0, 0], 0.5);
    expect(first).toBeCloseTo(10);
    expect(second).toBeCloseTo(10 / 3);
    expect(third).toBeCloseTo(10 / 7);
  });

  it("keeps a constant constant, and gaps gaps", () => expect(smooth([4, null, 4, 4], 0.9)).toEqual([4, null, expect.closeTo(4), expect.closeTo(4)]));
});

describe("downsampling", () => {
  const xs = Array.from({ length: 10_000 }, (_, index) => index);
  const spiky = series("loss", xs, xs.map((x) => (x === 6_543 ? 100 : Math.sin(x / 500))));

  it("keeps the ends, the number of points, and a spike", () => {
    const thin = downsample(spiky, 500);
    expect(thin.x).toHaveLength(500);
    expect([thin.x[0], thin.x.at(-1)]).toEqual([0, 9_999]);
    expect(Math.max(...thin.y.map((value) => value ?? 0))).toBe(100);
    expect([...thin.x].sort((a, b) => a - b)).toEqual(thin.x);
  });

  it("leaves a short series alone", () => {
    const short = series("a", [1, 2], [3, 4]);
    expect(downsample(short, 500)).toBe(short);
  });
});

it("aligns series to one axis", () =>
  expect(align([series("a", [1, 3], [10, 30]), series("b", [2, 3], [20, 31])])).toEqual([
    [1, 2, 3],
    [10, null, 30],
    [null, 20, 31],
  ]));

it("leaves out what a log axis cannot show", () => expect(positiveOnly([1, 0, -1, null])).toEqual([1, null, null, null]));

it.each([
  [0, "0"],
  [0.123456, "0.1235"],
  [12_345.6, "12350"],
  [0.0000123, "1.23e-5"],
  [12_000_000, "1.20e+7"],
  [null, "–"],
])("writes %s as %s", (value, text) => expect(compactNumber(value)).toBe(text));

it.each([
  [0, "0 B"],
  [1_536, "1.5 Ki"],
  [3 * 1024 ** 3, "3 Gi"],
])("writes %s bytes as %s", (value, text) => expect(bytesText(value)).toBe(text));

it.each([
  [0, "0"],
  [0.25, "250m"],
  [0.0006671, "0.667m"],
  [1.5, "1.5"],
])("writes %s cores as %s", (value, text) => expect(coresText(value)).toBe(text));

it.each([
  [0, null],
  [1, 1],
  [2, 1],
  [3, 4],
  [5, null],
])("finds the value nearest to place %i of a series between its first and last", (from, place) => expect(nearestValue([null, 7, null, null, 8, undefined], from)).toBe(place));

it("begins the palette again after its last colour", () => expect([0, 7, 8].map(colourToken)).toEqual(["--series-1", "--series-8", "--series-1"]));
