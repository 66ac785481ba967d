import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { IR, RUNNING } from "../../samples/pipelines";
import { runGraph, type GraphNode } from "../../kinds/graph/pipelinesGraph";
import { readSpec } from "../../kinds/graph/pipelinesSpec";
import { recordsOf } from "../../kinds/graph/pipelinesTasks";
import { useOpen } from "./GraphView";

const graph = (): GraphNode[] => runGraph(readSpec(IR)?.steps ?? [], recordsOf(RUNNING), false);

test("a run that is read again keeps the set of its open groups: another one would lay out the graph again", () => {
  const { result, rerender } = renderHook(({ nodes }) => useOpen(nodes, undefined), { initialProps: { nodes: graph() } });
  const [before, toggleBefore] = result.current;
  rerender({ nodes: graph() });

  expect(result.current[0]).toBe(before);
  expect(result.current[1]).toBe(toggleBefore);
  act(() => toggleBefore("root.exit-handler-1"));
  expect(result.current[0].has("root.exit-handler-1")).toBe(!before.has("root.exit-handler-1"));
});
