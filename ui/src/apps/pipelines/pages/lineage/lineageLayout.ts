/** Where the nodes of a lineage are: what comes before above, what became of it below. Pure. */
import { Graph, layout } from "@dagrejs/dagre";
import type { LineageGraph } from "../../kinds/pipelinesLineage";
import { NODE_HEIGHT, NODE_WIDTH, type Point } from "../../graph/layout";

const ARTIFACT_WIDTH = 184;
const ARTIFACT_HEIGHT = 30;

export interface PlacedLineage {
  nodes: { key: string; x: number; y: number; width: number; height: number }[];
  edges: { from: string; to: string; points: Point[] }[];
  width: number;
  height: number;
}

export function layoutLineage({ nodes, edges }: Pick<LineageGraph, "nodes" | "edges">): PlacedLineage {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 20, ranksep: 32 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { key, kind } of nodes) graph.setNode(key, kind === "execution" ? { width: NODE_WIDTH, height: NODE_HEIGHT } : { width: ARTIFACT_WIDTH, height: ARTIFACT_HEIGHT });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const { width = 1, height = 1 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    nodes: nodes.map(({ key }) => {
      const { x = 0, y = 0, width = 0, height = 0 } = graph.node(key) as { x?: number; y?: number; width?: number; height?: number };
      return { key, x: x - width / 2, y: y - height / 2, width, height };
    }),
    edges: edges.map(({ from, to }) => ({ from, to, points: (graph.edge(from, to) as { points?: Point[] }).points ?? [] })),
  };
}
