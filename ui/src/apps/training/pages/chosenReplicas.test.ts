import { expect, it } from "vitest";
import { chosenReplicas } from "./JobLogs";

const NAMES = ["ps-0", "worker-0", "worker-1", "worker-2", "worker-3"];

it.each([
  [undefined, undefined, ["ps-0", "worker-0", "worker-1", "worker-2"]],
  ["worker-1,worker-3", undefined, ["worker-1", "worker-3"]],
  ["gone", undefined, ["ps-0", "worker-0", "worker-1", "worker-2"]],
  ["worker-1", "worker-2", ["worker-1", "worker-2"]],
  [undefined, "worker-3", ["worker-3"]],
])("of the URL %s and the line of %s shows %j", (inUrl, linked, shown) => expect(chosenReplicas(NAMES, inUrl, linked)).toEqual(shown));
