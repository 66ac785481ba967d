import { useStore, ViewportPortal } from "@xyflow/react";
import { memo, useDeferredValue, useEffect, useMemo, useRef } from "react";
import type { GraphNode } from "../kinds/graph/pipelinesGraph";
import { areaKey, areaOf } from "./area";
import { refreshed, unchanged, type DrawnNode } from "./drawnNodes";
import { EdgeLayer } from "./EdgeLayer";
import type { PlacedGraph } from "./layout";
import { NodeLayer, type Handlers } from "./NodeLayer";
import { OverviewLayer } from "./OverviewLayer";

/** With fewer nodes, each is drawn in full at any zoom. */
const MANY_NODES = 150;
/** Below it names cannot be read. */
const LEGIBLE_ZOOM = 0.3;

interface GraphSceneProps extends Handlers {
  placed: PlacedGraph;
  /** The nodes as they are now, by id. */
  fresh: Map<string, GraphNode>;
  chosen: string | undefined;
}

/**
 * What React Flow moves. Nodes and edges are not its own: for each of those it would do some work in every frame of a movement, and a
 * thousand steps have three thousand edges. Here a movement draws nothing until other nodes come into the window.
 */
export const GraphScene = memo(function GraphScene({ placed, fresh, chosen, onToggle, onChoose, onArtifact }: GraphSceneProps) {
  const key = useStore(({ transform, width, height }) => areaKey(transform, { width, height }));
  const isFar = useStore(({ transform }) => transform[2] < LEGIBLE_ZOOM);
  // Deferred: nodes that come into the window are drawn between the frames of a movement, a few at a time.
  const shownKey = useDeferredValue(key);
  const area = useMemo(() => areaOf(shownKey), [shownKey]);
  const nodes = useDrawnNodes(placed, fresh, chosen);
  return (
    <ViewportPortal>
      <EdgeLayer edges={placed.edges} area={area} fresh={fresh} />
      {isFar && nodes.length > MANY_NODES ? <OverviewLayer nodes={nodes} onChoose={onChoose} /> : <NodeLayer nodes={nodes} area={area} onToggle={onToggle} onChoose={onChoose} onArtifact={onArtifact} />}
    </ViewportPortal>
  );
});

/** The nodes as they are now; those that look as before are the same objects. */
function useDrawnNodes(placed: PlacedGraph, fresh: Map<string, GraphNode>, chosen: string | undefined): DrawnNode[] {
  const before = useRef<ReadonlyMap<string, DrawnNode>>(new Map());
  const nodes = useMemo(
    () => placed.nodes.map((one) => unchanged(before.current.get(one.id), { placed: refreshed(one, fresh), isChosen: chosen === one.id })),
    [placed, fresh, chosen],
  );
  useEffect(() => {
    before.current = new Map(nodes.map((node) => [node.placed.id, node]));
  }, [nodes]);
  return nodes;
}
