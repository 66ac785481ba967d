import { describe, expect, it } from "vitest";
import { isFromFrame } from "./messages";

const OURS = "http://127.0.0.1:8080";
const frame = {} as Window;

describe("a message to the page of a framed app", () => {
  it.each([
    ["the app in the frame", { origin: OURS, source: frame }, frame, true],
    ["another origin in the frame", { origin: "https://example.com", source: frame }, frame, false],
    ["a frame without an origin", { origin: "null", source: frame }, frame, false],
    ["another window of this origin", { origin: OURS, source: {} as Window }, frame, false],
    ["a window that is gone", { origin: OURS, source: null }, null, false],
    ["no frame yet", { origin: OURS, source: frame }, undefined, false],
  ])("from %s", (_, event, theirs, taken) => {
    expect(isFromFrame(event, theirs, OURS)).toBe(taken);
  });
});
