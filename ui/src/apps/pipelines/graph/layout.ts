/** Where the nodes of a graph are: each unfolded group is laid out by itself, then placed as one box in the group around it. */
import { Graph, layout } from "@dagrejs/dagre";
import { reducedEdges, type ArtifactMark, type GraphNode } from "../kinds/graph/pipelinesGraph";

export const NODE_WIDTH = 208;
export const NODE_HEIGHT = 44;
export const ARTIFACT_WIDTH = 148;
export const ARTIFACT_HEIGHT = 26;
const HEAD_HEIGHT = 36;
const PADDING = 16;
const GRID_GAP = 10;
/** Iterations are a grid of small boxes: a loop of a thousand has no edges to show. */
const ITERATION_WIDTH = 108;
const ITERATION_HEIGHT = 30;
/** Beyond it the best ranking takes too long. */
const FAST_FROM = 300;

export interface PlacedNode {
  id: string;
  kind: "step" | "box" | "mark";
  node: GraphNode;
  artifact: ArtifactMark | undefined;
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface PlacedEdge {
  id: string;
  from: string;
  to: string;
  /** The way that goes around other nodes. */
  points: Point[];
  depth: number;
}

export interface PlacedGraph {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

export interface LayoutOptions {
  open: ReadonlySet<string>;
  hasArtifacts: boolean;
}

interface Box {
  node: GraphNode;
  inside: PlacedGraph | undefined;
  width: number;
  height: number;
}

export function layoutGraph(nodes: GraphNode[], options: LayoutOptions, depth = 0): PlacedGraph {
  const boxes = nodes.map((node) => boxOf(node, options, depth));
  const isGrid = nodes.length > 0 && nodes.every((node) => node.kind === "iteration");
  return isGrid ? inGrid(boxes, depth) : inLayers(boxes, options, depth);
}

function boxOf(node: GraphNode, options: LayoutOptions, depth: number): Box {
  const isOpen = node.children.length > 0 && options.open.has(node.id);
  if (!isOpen) {
    const isSmall = node.kind === "iteration";
    return { node, inside: undefined, width: isSmall ? ITERATION_WIDTH : NODE_WIDTH, height: isSmall ? ITERATION_HEIGHT : NODE_HEIGHT };
  }
  const inside = layoutGraph(node.children, options, depth + 1);
  return { node, inside, width: Math.max(NODE_WIDTH, inside.width + 2 * PADDING), height: inside.height + HEAD_HEIGHT + PADDING };
}

/** A box at its place, with everything in it. */
function placed(box: Box, x: number, y: number, depth: number): PlacedGraph {
  const own: PlacedNode = { id: box.node.id, kind: box.inside === undefined ? "step" : "box", node: box.node, artifact: undefined, x, y, width: box.width, height: box.height, depth };
  const left = x + (box.width - (box.inside?.width ?? 0)) / 2;
  const top = y + HEAD_HEIGHT;
  const inner = (box.inside?.nodes ?? []).map((node) => ({ ...node, x: node.x + left, y: node.y + top }));
  const edges = (box.inside?.edges ?? []).map((edge) => ({ ...edge, points: edge.points.map((point) => ({ x: point.x + left, y: point.y + top })) }));
  return { nodes: [own, ...inner], edges, width: box.width, height: box.height };
}

function inGrid(boxes: Box[], depth: number): PlacedGraph {
  const columns = Math.max(1, Math.min(20, Math.ceil(Math.sqrt(boxes.length * 0.6))));
  const parts: PlacedGraph[] = [];
  let x = 0;
  let y = 0;
  let rowHeight = 0;
  let width = 0;
  let count = 0;
  for (const box of boxes) {
    // An unfolded iteration has a row to itself.
    const isLarge = box.inside !== undefined;
    if (count > 0 && (isLarge || count >= columns)) {
      y += rowHeight + GRID_GAP;
      x = rowHeight = count = 0;
    }
    parts.push(placed(box, x, y, depth));
    width = Math.max(width, x + box.width);
    x += box.width + GRID_GAP;
    rowHeight = Math.max(rowHeight, box.height);
    count = isLarge ? columns : count + 1;
  }
  return joined(parts, [], width, y + rowHeight);
}

/** Steps above those that depend on them, as dagre ranks them. */
function inLayers(boxes: Box[], options: LayoutOptions, depth: number): PlacedGraph {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 36, ...(boxes.length > FAST_FROM ? { ranker: "longest-path" } : {}) });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.node.id, { width: box.width, height: box.height });
  const marks = options.hasArtifacts ? shownMarks(boxes.map((box) => box.node)) : new Map<string, { mark: ArtifactMark; node: GraphNode }>();
  for (const id of marks.keys()) graph.setNode(id, { width: ARTIFACT_WIDTH, height: ARTIFACT_HEIGHT });
  const edges = edgesOf(boxes.map((box) => box.node), marks);
  for (const edge of edges) graph.setEdge(edge.from, edge.to);
  layout(graph);
  const at = (id: string): { x: number; y: number; width: number; height: number } => {
    const { x = 0, y = 0, width = 0, height = 0 } = graph.node(id) as { x?: number; y?: number; width?: number; height?: number };
    return { x: x - width / 2, y: y - height / 2, width, height };
  };
  const parts = boxes.map((box) => placed(box, at(box.node.id).x, at(box.node.id).y, depth));
  const artifacts = [...marks].map(([id, { mark, node }]): PlacedNode => ({ id, kind: "mark", node, artifact: mark, ...at(id), depth }));
  const label = graph.graph() as { width?: number; height?: number };
  const own: PlacedGraph = { nodes: artifacts, edges: [], width: 0, height: 0 };
  const routed = edges.map((edge): PlacedEdge => ({ ...edge, depth, points: (graph.edge(edge.from, edge.to) as { points?: Point[] }).points ?? [] }));
  return joined([...parts, own], routed, label.width ?? 0, label.height ?? 0);
}

/** Artifacts of tasks, and those of groups that something reads. */
function shownMarks(nodes: GraphNode[]): Map<string, { mark: ArtifactMark; node: GraphNode }> {
  const read = new Set(nodes.flatMap((node) => node.reads));
  return new Map(
    nodes.flatMap((node) => node.artifacts.filter((mark) => node.children.length === 0 || read.has(mark.id)).map((mark) => [mark.id, { mark, node }] as const)),
  );
}

function edgesOf(nodes: GraphNode[], marks: Map<string, { node: GraphNode }>): Pick<PlacedEdge, "id" | "from" | "to">[] {
  const produced = [...marks].map(([id, { node }]): [string, string] => [node.id, id]);
  const reads = nodes.flatMap((node) => node.reads.filter((id) => marks.has(id)).map((id): [string, string] => [id, node.id]));
  // An artifact between two steps says that one comes after the other.
  const said = new Set(reads.map(([id, to]) => `${marks.get(id)?.node.id ?? ""}\n${to}`));
  const direct = reducedEdges(nodes).filter(([from, to]) => !said.has(`${from}\n${to}`));
  return [...direct, ...produced, ...reads].map(([from, to]) => ({ id: `${from}->${to}`, from, to }));
}

function joined(parts: PlacedGraph[], edges: PlacedEdge[], width: number, height: number): PlacedGraph {
  return { nodes: parts.flatMap((part) => part.nodes), edges: [...parts.flatMap((part) => part.edges), ...edges], width, height };
}
