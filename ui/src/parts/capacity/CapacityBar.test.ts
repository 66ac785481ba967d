import { expect, test } from "vitest";
import { largest } from "./CapacityBar";

const share = (label: string, value: number) => ({ label, value, text: String(value) });

test("those beyond the third are one", () => {
  const shares = [share("a", 8), share("b", 4), share("c", 2), share("d", 1), share("e", 1)];

  expect(largest(shares, "others").map(({ label, value }) => [label, value])).toEqual([
    ["a", 8],
    ["b", 4],
    ["c", 2],
    ["others", 2],
  ]);
  expect(largest(shares.slice(0, 3), "others")).toHaveLength(3);
});
