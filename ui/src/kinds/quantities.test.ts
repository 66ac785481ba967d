import { expect, test } from "vitest";
import { amountText, coresText, quantityOf } from "./quantities";

test.each([
  ["500m", 0.5],
  ["2", 2],
  ["1.0Gi", 2 ** 30],
  ["1G", 1e9],
  ["5e3", 5000],
  ["", undefined],
  ["1 Gi", undefined],
  ["lots", undefined],
])("%s is %s", (text, value) => expect(quantityOf(text)).toBe(value));

test.each([
  [0.016, "0.02"],
  [1.5, "1.5"],
  [12, "12"],
])("%s cores are %s", (cores, text) => expect(coresText(cores)).toBe(text));

test.each([
  ["cpu", 2398.45, "2398.45"],
  ["nvidia.com/gpu", 3, "3"],
  ["memory", 1.5 * 2 ** 30, "1.5Gi"],
  ["requests.storage", 2 ** 40, "1Ti"],
  ["memory", 0, "0"],
])("%s of %s reads %s", (resource, value, text) => expect(amountText(resource, value)).toBe(text));
