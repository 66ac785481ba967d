/** Lays out one graph in a thread of its own. */
import type { GraphNode } from "../kinds/graph/pipelinesGraph";
import { layoutGraph, type LayoutOptions } from "./layout";

export interface LayoutRequest {
  nodes: GraphNode[];
  options: LayoutOptions;
}

addEventListener("message", ({ data: { nodes, options } }: MessageEvent<LayoutRequest>) => postMessage(layoutGraph(nodes, options)));
