import { Background, ReactFlow, ReactFlowProvider, useReactFlow, type Node } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo, useRef } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Check } from "../field/Check";
import type { GraphProps } from "./Graph";
import { layoutGraph, type PlacedEdge, type PlacedNode } from "./layout";
import { EDGE_TYPES, NODE_TYPES, type FlowData, type RoutedFlowEdge } from "./nodes";
import { firstView } from "./viewport";
import styles from "./Graph.module.css";

type FlowNode = Node<FlowData>;

const NO_OPTIONS = { hideAttribution: true };
const FIT = { padding: 0.06, maxZoom: 1 };
const MIN_ZOOM = 0.05;

/** React Flow as a component: only what is in the window is drawn. */
export function GraphCanvas(props: GraphProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ label, nodes, open, onToggle, chosen, onChoose, hasArtifacts, onArtifacts, onArtifact, height }: GraphProps) {
  const words = useWords().pipelines.graph;
  const flow = useReactFlow();
  const place = useRef<HTMLDivElement>(null);
  // States change far more often than the structure, and do not move anything.
  const structure = useMemo(() => nodes.map(shapeText).join(), [nodes]);
  const pipeline = nodes.map((node) => node.id).join();
  const latest = useRef(nodes);
  latest.current = nodes;
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const placed = useMemo(() => layoutGraph(latest.current, { open, hasArtifacts }), [structure, open, hasArtifacts]);
  const fresh = useMemo(() => indexOf(nodes), [nodes]);
  const flowNodes = useMemo(
    () => placed.nodes.map((one) => flowNode({ ...one, node: fresh.get(one.node.id) ?? one.node }, { chosen, onToggle, onChoose, onArtifact })),
    [placed, fresh, chosen, onToggle, onChoose, onArtifact],
  );
  const flowEdges = useMemo(() => placed.edges.map((edge) => flowEdge(edge, fresh)), [placed, fresh]);
  const start = useRef(placed);
  start.current = placed;
  // Where one looks first: again when the place or the pipeline is another, not when a group is unfolded.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const show = () => void flow.setViewport(firstView(start.current, { width: element.clientWidth, height: element.clientHeight }));
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, pipeline]);
  return (
    <div ref={place} className={styles.canvas} style={{ height }} role="group" aria-label={label}>
      <ReactFlow<FlowNode, RoutedFlowEdge>
        nodes={flowNodes}
        edges={flowEdges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        zoomOnScroll={false}
        panOnScroll={false}
        minZoom={MIN_ZOOM}
        maxZoom={1.6}
        proOptions={NO_OPTIONS}
      >
        <Background gap={20} size={1} color="var(--line-strong)" />
      </ReactFlow>
      <div className={styles.controls}>
        <Check label={words.artifacts} checked={hasArtifacts} onChange={onArtifacts} />
        <Button small iconOnly look="quiet" icon="plus" label={words.zoomIn} onPress={() => void flow.zoomIn()} />
        <Button small iconOnly look="quiet" icon="minus" label={words.zoomOut} onPress={() => void flow.zoomOut()} />
        <Button small iconOnly look="quiet" icon="fit" label={words.fit} onPress={() => void flow.fitView(FIT)} />
      </div>
    </div>
  );
}

type Handlers = Pick<GraphProps, "chosen" | "onToggle" | "onChoose" | "onArtifact">;

function flowNode(placed: PlacedNode, { chosen, ...handlers }: Handlers): FlowNode {
  const { id, kind, x, y, width, height, depth } = placed;
  const middle = width / 2;
  return {
    id,
    type: kind,
    position: { x, y },
    width,
    height,
    // Known in advance, so that edges to nodes outside of the window are drawn.
    handles: [
      { type: "target", position: "top" as never, x: middle, y: 0, width: 1, height: 1 },
      { type: "source", position: "bottom" as never, x: middle, y: height - 1, width: 1, height: 1 },
    ],
    // A box is below the edges inside of it, and these are below the nodes that they join.
    zIndex: depth * 3 + (kind === "box" ? 2 : 3),
    data: { placed, isChosen: chosen === id, ...handlers },
  };
}

function flowEdge({ id, from, to, points, depth }: PlacedEdge, known: Map<string, { state: string }>): RoutedFlowEdge {
  const isRunning = known.get(to)?.state === "running";
  return { id, source: from, target: to, type: "routed", data: { points }, ...(isRunning ? { className: styles.runningEdge ?? "" } : {}), zIndex: depth * 3 + 1 };
}

/** What the layout depends on: the nodes and their artifacts, not their states. */
function shapeText(node: PlacedNode["node"]): string {
  return `${node.id}[${node.children.map(shapeText).join()}]`;
}

function indexOf(nodes: PlacedNode["node"][]): Map<string, PlacedNode["node"]> {
  const found = new Map<string, PlacedNode["node"]>();
  const add = (node: PlacedNode["node"]): void => {
    found.set(node.id, node);
    node.children.forEach(add);
  };
  nodes.forEach(add);
  return found;
}
