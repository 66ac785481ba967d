import { useReactFlow } from "@xyflow/react";
import { memo, useMemo, type MouseEvent } from "react";
import { useWords } from "../../../words";
import { nodeAt, nodeTiles } from "./area";
import type { DrawnNode } from "./drawnNodes";
import styles from "./Graph.module.css";

interface OverviewLayerProps {
  nodes: DrawnNode[];
  onChoose: (id: string) => void;
}

/** The nodes as coloured shapes without names, for a zoom at which names cannot be read. A press chooses a step. */
export const OverviewLayer = memo(function OverviewLayer({ nodes, onChoose }: OverviewLayerProps) {
  const words = useWords().pipelines.graph;
  const flow = useReactFlow();
  const tiles = useMemo(() => [...nodeTiles(nodes)].map(([key, all]) => [key, shapesOf(all)] as const), [nodes]);
  const choose = ({ clientX, clientY }: MouseEvent) => {
    const node = nodeAt(nodes, flow.screenToFlowPosition({ x: clientX, y: clientY }));
    if (node !== undefined) onChoose(node.id);
  };
  return (
    <svg className={styles.overview} role="img" aria-label={words.overview(nodes.filter(({ placed }) => placed.kind === "step").length)} onClick={choose}>
      {tiles.flatMap(([key, shapes]) => [...shapes].map(([look, path]) => <path key={`${key} ${look}`} className={look} d={path} />))}
    </svg>
  );
});

/** One path for all nodes that look alike: a browser looks at every shape in every frame of a movement. */
function shapesOf(nodes: DrawnNode[]): Map<string, string> {
  const shapes = new Map<string, string>();
  for (const { placed, isChosen } of nodes) {
    const { kind, node, x, y, width, height } = placed;
    const look = kind === "mark" ? [styles.markShape] : [kind === "box" ? styles.boxShape : styles.shape, styles[node.state], isChosen && styles.chosenShape];
    const key = look.filter(Boolean).join(" ");
    shapes.set(key, `${shapes.get(key) ?? ""}M${x} ${y}h${width}v${height}h${-width}z`);
  }
  return shapes;
}
