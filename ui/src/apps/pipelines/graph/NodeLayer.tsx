import { memo, useMemo } from "react";
import { areaOfNode, touches, type Area } from "./area";
import { nodeLevel, type DrawnNode } from "./drawnNodes";
import type { GraphProps } from "./Graph";
import { ArtifactNode, GroupNode, StepNode } from "./nodes";
import styles from "./Graph.module.css";

export type Handlers = Pick<GraphProps, "onToggle" | "onChoose" | "onArtifact">;

interface NodeLayerProps extends Handlers {
  nodes: DrawnNode[];
  area: Area;
}

/** The nodes in an area, in the order of the layout. */
export const NodeLayer = memo(function NodeLayer({ nodes, area, ...handlers }: NodeLayerProps) {
  const shown = useMemo(() => nodes.filter(({ placed }) => touches(areaOfNode(placed), area)), [nodes, area]);
  return shown.map((node) => <PlacedNodeView key={node.placed.id} node={node} {...handlers} />);
});

const PlacedNodeView = memo(function PlacedNodeView({ node: { placed, isChosen }, onToggle, onChoose, onArtifact }: Handlers & { node: DrawnNode }) {
  const { id, kind, node, artifact, x, y, width, height } = placed;
  return (
    <div className={styles.place} style={{ left: x, top: y, width, height, zIndex: nodeLevel(placed) }} data-node={id}>
      {kind === "step" && <StepNode node={node} isChosen={isChosen} onChoose={onChoose} onToggle={onToggle} />}
      {kind === "box" && <GroupNode node={node} isChosen={isChosen} onChoose={onChoose} onToggle={onToggle} />}
      {kind === "mark" && artifact && <ArtifactNode mark={artifact} onArtifact={onArtifact} />}
    </div>
  );
});
