/** Which part of a graph is drawn: what is in the window, and a margin around it. Pure. */
import type { DrawnNode } from "./drawnNodes";
import type { PlacedEdge, PlacedNode, Point } from "./layout";

export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Size {
  width: number;
  height: number;
}

/** In pixels of the screen: so far the graph moves before other nodes are drawn, and so far around the window they are drawn in advance. */
const STEP = 160;
const MARGIN = 160;
/** Zooms that lie between two powers of this one draw the same. */
const ZOOM_STEP = 1.25;

/** The area as whole numbers of steps: a text that stays the same while the graph moves a little. */
export function areaKey([x, y, zoom]: readonly [number, number, number], { width, height }: Size): string {
  const level = Math.floor(Math.log(zoom) / Math.log(ZOOM_STEP) + 1e-9);
  const step = STEP / ZOOM_STEP ** level;
  return [level, Math.floor(-x / zoom / step), Math.floor(-y / zoom / step), Math.ceil(width / STEP), Math.ceil(height / STEP)].join();
}

/** The area of a key; at least all that was in the window. */
export function areaOf(key: string): Area {
  const [level = 0, column = 0, row = 0, columns = 0, rows = 0] = key.split(",").map(Number);
  const scale = ZOOM_STEP ** -level;
  const step = STEP * scale;
  const margin = MARGIN * scale;
  return { left: column * step - margin, top: row * step - margin, right: (column + columns + 1) * step + margin, bottom: (row + rows + 1) * step + margin };
}

export const touches = (a: Area, b: Area): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

export const areaOfNode = ({ x, y, width, height }: PlacedNode): Area => ({ left: x, top: y, right: x + width, bottom: y + height });

/** Edges that lie near each other: drawn as one path, or not at all. */
export interface EdgeTile {
  key: string;
  depth: number;
  area: Area;
  edges: PlacedEdge[];
}

const TILE = 640;

export function edgeTiles(edges: PlacedEdge[]): EdgeTile[] {
  const tiles = new Map<string, EdgeTile>();
  for (const edge of edges) {
    const area = areaOfPoints(edge.points);
    const key = [edge.depth, Math.floor(area.left / TILE), Math.floor(area.top / TILE)].join();
    const tile = tiles.get(key);
    if (tile === undefined) tiles.set(key, { key, depth: edge.depth, area, edges: [edge] });
    else {
      tile.edges.push(edge);
      tile.area = around(tile.area, area);
    }
  }
  return [...tiles.values()];
}

/** Nodes that lie near each other, tile by tile. */
export function nodeTiles(nodes: DrawnNode[]): Map<string, DrawnNode[]> {
  const tiles = new Map<string, DrawnNode[]>();
  for (const node of nodes) {
    const key = [Math.floor(node.placed.x / TILE), Math.floor(node.placed.y / TILE)].join();
    const tile = tiles.get(key);
    if (tile === undefined) tiles.set(key, [node]);
    else tile.push(node);
  }
  return tiles;
}

/** The innermost node at a point; artifacts are none. */
export function nodeAt(nodes: DrawnNode[], { x, y }: Point): PlacedNode | undefined {
  const point: Area = { left: x, top: y, right: x, bottom: y };
  const found = nodes.filter(({ placed }) => placed.kind !== "mark" && contains(areaOfNode(placed), point)).map(({ placed }) => placed);
  return found.reduce<PlacedNode | undefined>((inner, one) => (inner === undefined || one.depth > inner.depth ? one : inner), undefined);
}

const contains = (a: Area, b: Area): boolean => a.left <= b.left && b.right <= a.right && a.top <= b.top && b.bottom <= a.bottom;

const around = (a: Area, b: Area): Area => ({ left: Math.min(a.left, b.left), top: Math.min(a.top, b.top), right: Math.max(a.right, b.right), bottom: Math.max(a.bottom, b.bottom) });

function areaOfPoints(points: Point[]): Area {
  const area: Area = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of points) {
    area.left = Math.min(area.left, x);
    area.right = Math.max(area.right, x);
    area.top = Math.min(area.top, y);
    area.bottom = Math.max(area.bottom, y);
  }
  return area;
}
