import { Background, Position, ReactFlow, ReactFlowProvider, useReactFlow, type Node } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo, useRef } from "react";
import type { LineageGraph, LineageNode } from "../../kinds/pipelinesLineage";
import { Button } from "../../../../parts/button/Button";
import graphStyles from "../../graph/Graph.module.css";
import { useWords } from "../../../../words";
import { layoutLineage } from "./lineageLayout";
import { LINEAGE_NODE_TYPES, type LineageFlowData } from "./LineageNodes";
import { EDGE_TYPES, type RoutedFlowEdge } from "./RoutedEdge";
import styles from "./Lineage.module.css";

interface LineageCanvasProps {
  label: string;
  graph: LineageGraph;
  /** The key of the node that the page is about. */
  focus: string;
  onToggle: (key: string, isOpen: boolean) => void;
}

const NO_OPTIONS = { hideAttribution: true };
const FIT = { padding: 0.06, maxZoom: 1 };
/** Below it names are not read: a window that is too small for the whole graph shows what the page is about. */
const READABLE_ZOOM = 0.6;
const NARROW_ZOOM = 0.8;

/** React Flow as a component. */
export function LineageCanvas(props: LineageCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ label, graph, focus, onToggle }: LineageCanvasProps) {
  const words = useWords().pipelines.graph;
  const flow = useReactFlow();
  const shape = JSON.stringify([graph.nodes.map((node) => node.key), graph.edges]);
  // States and names come later than the structure, and do not move anything.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const placed = useMemo(() => layoutLineage(graph), [shape]);
  const known = new Map(graph.nodes.map((node) => [node.key, node]));
  const nodes = placed.nodes.flatMap((place) => {
    const node = known.get(place.key);
    return node === undefined ? [] : [flowNode(node, place, focus, onToggle)];
  });
  const edges = placed.edges.map(({ from, to, points }): RoutedFlowEdge => ({ id: `${from}>${to}`, source: from, target: to, type: "routed", data: { points } }));
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const show = () => {
      const zoom = Math.min(1, (0.94 * element.clientWidth) / placed.width, (0.94 * element.clientHeight) / placed.height);
      const middle = zoom >= READABLE_ZOOM ? { x: placed.width / 2, y: placed.height / 2 } : centreOf(placed.nodes.find((node) => node.key === focus));
      void flow.setCenter(middle.x, middle.y, { zoom: zoom >= READABLE_ZOOM ? zoom : NARROW_ZOOM });
    };
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, placed, focus]);
  return (
    <div ref={place} className={[graphStyles.canvas, styles.canvas].join(" ")} role="group" aria-label={label}>
      <ReactFlow<Node<LineageFlowData>, RoutedFlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={LINEAGE_NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        zoomOnScroll={false}
        minZoom={0.1}
        maxZoom={1.6}
        proOptions={NO_OPTIONS}
      >
        <Background gap={20} size={1} color="var(--line-strong)" />
      </ReactFlow>
      <div className={graphStyles.controls}>
        <Button small iconOnly look="quiet" icon="plus" label={words.zoomIn} onPress={() => void flow.zoomIn()} />
        <Button small iconOnly look="quiet" icon="minus" label={words.zoomOut} onPress={() => void flow.zoomOut()} />
        <Button small iconOnly look="quiet" icon="fit" label={words.fit} onPress={() => void flow.fitView(FIT)} />
      </div>
    </div>
  );
}

const centreOf = (place: { x: number; y: number; width: number; height: number } | undefined) => ({ x: (place?.x ?? 0) + (place?.width ?? 0) / 2, y: (place?.y ?? 0) + (place?.height ?? 0) / 2 });

function flowNode(node: LineageNode, place: { x: number; y: number; width: number; height: number }, focus: string, onToggle: LineageCanvasProps["onToggle"]): Node<LineageFlowData> {
  const { x, y, width, height } = place;
  return {
    id: node.key,
    type: node.kind,
    position: { x, y },
    width,
    height,
    handles: [
      { type: "target", position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 },
      { type: "source", position: Position.Bottom, x: width / 2, y: height - 1, width: 1, height: 1 },
    ],
    zIndex: 2,
    data: { node, isFocus: node.key === focus, onToggle },
  };
}
