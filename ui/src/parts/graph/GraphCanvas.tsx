import { Background, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo, useRef } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Check } from "../field/Check";
import type { GraphNode } from "../../kinds/pipelinesGraph";
import { Skeleton } from "../feedback/Skeleton";
import { flowEdge, flowNode, indexOf, refreshed, unchanged, type FlowNode, type Handlers } from "./flowNodes";
import type { GraphProps } from "./Graph";
import type { PlacedGraph } from "./layout";
import { EDGE_TYPES, NODE_TYPES, type RoutedFlowEdge } from "./nodes";
import { useLayout } from "./useLayout";
import { firstView } from "./viewport";
import styles from "./Graph.module.css";

const NO_OPTIONS = { hideAttribution: true };
const FIT = { padding: 0.06, maxZoom: 1 };
const MIN_ZOOM = 0.05;
const NOTHING: PlacedGraph = { nodes: [], edges: [], width: 0, height: 0 };

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
  const pipeline = nodes.map((node) => node.id).join();
  const known = useLayout({ nodes, open, hasArtifacts });
  const placed = known ?? NOTHING;
  const fresh = useMemo(() => indexOf(nodes), [nodes]);
  const flowNodes = useFlowNodes(placed, fresh, chosen, { onToggle, onChoose, onArtifact });
  const flowEdges = useFlowEdges(placed, fresh);
  const start = useRef(placed);
  start.current = placed;
  const isKnown = known !== undefined;
  // Where one looks first: again when the place or the pipeline is another, not when a group is unfolded.
  useEffect(() => {
    const element = place.current;
    if (element === null || !isKnown) return;
    const show = () => void flow.setViewport(firstView(start.current, { width: element.clientWidth, height: element.clientHeight }));
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, pipeline, isKnown]);
  return (
    <div ref={place} className={styles.canvas} style={{ height }} role="group" aria-label={label}>
      {/* Before the graph: a search for something to focus, as tab panels start at each change, then ends before all the edges. */}
      <div className={styles.controls}>
        <Check label={words.artifacts} checked={hasArtifacts} onChange={onArtifacts} />
        <Button small iconOnly look="quiet" icon="plus" label={words.zoomIn} onPress={() => void flow.zoomIn()} />
        <Button small iconOnly look="quiet" icon="minus" label={words.zoomOut} onPress={() => void flow.zoomOut()} />
        <Button small iconOnly look="quiet" icon="fit" label={words.fit} onPress={() => void flow.fitView(FIT)} />
      </div>
      {!isKnown && <Skeleton lines={8} />}
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
    </div>
  );
}

/** The nodes as they are now; those that look as before are the same objects. */
function useFlowNodes(placed: PlacedGraph, fresh: Map<string, GraphNode>, chosen: string | undefined, { onToggle, onChoose, onArtifact }: Handlers): FlowNode[] {
  const before = useRef<ReadonlyMap<string, FlowNode>>(new Map());
  const nodes = useMemo(
    () => placed.nodes.map((one) => unchanged(before.current.get(one.id), flowNode(refreshed(one, fresh), chosen === one.id, { onToggle, onChoose, onArtifact }))),
    [placed, fresh, chosen, onToggle, onChoose, onArtifact],
  );
  useEffect(() => {
    before.current = new Map(nodes.map((node) => [node.id, node]));
  }, [nodes]);
  return nodes;
}

/** The edges; the same objects but for those to steps that started or ended. */
function useFlowEdges(placed: PlacedGraph, fresh: Map<string, GraphNode>): RoutedFlowEdge[] {
  const still = useMemo(() => placed.edges.map((edge) => flowEdge(edge, "")), [placed]);
  const moving = useMemo(() => placed.edges.map((edge) => flowEdge(edge, styles.runningEdge ?? "")), [placed]);
  return useMemo(
    () => placed.edges.flatMap((edge, place) => (fresh.get(edge.to)?.state === "running" ? moving[place] : still[place]) ?? []),
    [placed, still, moving, fresh],
  );
}
