import type { GraphNode } from "../kinds/graph/pipelinesGraph";
import { layoutGraph, type LayoutOptions, type PlacedGraph } from "./layout";
import type { LayoutRequest } from "./layoutWorker";

/** What the layout depends on, without what tasks read and wrote: that may be large, and would be copied. Pure. */
export function outlineOf(node: GraphNode): GraphNode {
  const { id, key, label, kind, state, after, reads, progress } = node;
  const artifacts = node.artifacts.map((mark) => ({ ...mark, artifact: undefined }));
  return { id, key, label, kind, state, after, reads, progress, artifacts, children: node.children.map(outlineOf), record: undefined, condition: undefined, image: undefined };
}

/** Lays out a graph in a thread of its own, or here where a browser refuses to start one. The returned function cancels it. */
export function layoutElsewhere(nodes: GraphNode[], options: LayoutOptions, done: (placed: PlacedGraph) => void): () => void {
  const worker = new Worker(new URL("./layoutWorker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<PlacedGraph>) => {
    worker.terminate();
    done(data);
  };
  worker.onerror = () => {
    worker.terminate();
    done(layoutGraph(nodes, options));
  };
  worker.postMessage({ nodes: nodes.map(outlineOf), options } satisfies LayoutRequest);
  return () => worker.terminate();
}
