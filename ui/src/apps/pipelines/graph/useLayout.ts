import { useEffect, useMemo, useRef, useState } from "react";
import type { GraphNode } from "../kinds/graph/pipelinesGraph";
import { layoutGraph, type PlacedGraph } from "./layout";
import { layoutElsewhere } from "./layoutElsewhere";

/** Laying out more nodes takes longer than a frame. */
const HERE_UP_TO = 50;

interface Wanted {
  nodes: GraphNode[];
  open: ReadonlySet<string>;
  hasArtifacts: boolean;
}

interface Known {
  pipeline: string;
  placed: PlacedGraph;
}

/** How many nodes are drawn: those in folded groups are not. Pure. */
export function shownCount(nodes: GraphNode[], open: ReadonlySet<string>): number {
  return nodes.reduce((count, node) => count + 1 + (open.has(node.id) ? shownCount(node.children, open) : 0), 0);
}

/** What the layout depends on: the nodes, not their states, which change far more often and move nothing. */
const shapeText = (node: GraphNode): string => `${node.id}[${node.children.map(shapeText).join()}]`;

/**
 * Where the nodes are. A large graph is laid out in a thread of its own: until then the result is the one before, and undefined for a
 * pipeline that was not shown yet.
 */
export function useLayout({ nodes, open, hasArtifacts }: Wanted): PlacedGraph | undefined {
  const structure = useMemo(() => nodes.map(shapeText).join(), [nodes]);
  const pipeline = nodes.map((node) => node.id).join();
  const latest = useRef(nodes);
  latest.current = nodes;
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const isLarge = useMemo(() => typeof Worker === "function" && shownCount(nodes, open) > HERE_UP_TO, [structure, open]);
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const here = useMemo(() => (isLarge ? undefined : layoutGraph(latest.current, { open, hasArtifacts })), [structure, open, hasArtifacts, isLarge]);
  const [known, setKnown] = useState<Known>();
  useEffect(() => {
    if (here !== undefined) setKnown({ pipeline, placed: here });
    else return layoutElsewhere(latest.current, { open, hasArtifacts }, (placed) => setKnown({ pipeline, placed }));
  }, [here, structure, pipeline, open, hasArtifacts]);
  return here ?? (known?.pipeline === pipeline ? known.placed : undefined);
}
