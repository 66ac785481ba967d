import { memo, useMemo, type CSSProperties } from "react";
import type { GraphNode } from "../kinds/graph/pipelinesGraph";
import { edgeTiles, touches, type Area, type EdgeTile } from "./area";
import { edgeLevel } from "./drawnNodes";
import { arrowPath, edgePath } from "./edgePath";
import type { PlacedEdge } from "./layout";
import styles from "./Graph.module.css";

interface EdgeLayerProps {
  edges: PlacedEdge[];
  area: Area;
  /** The nodes as they are now, by id. */
  fresh: Map<string, GraphNode>;
}

/** The edges: a path for all that lie near each other, and above it one for each that leads to a running step. */
export const EdgeLayer = memo(function EdgeLayer({ edges, area, fresh }: EdgeLayerProps) {
  const tiles = useMemo(() => edgeTiles(edges), [edges]);
  const shown = tiles.filter((tile) => touches(tile.area, area));
  const depths = [...new Set(shown.map((tile) => tile.depth))];
  return depths.map((depth) => (
    <svg key={depth} className={styles.edges} style={{ zIndex: edgeLevel(depth) } satisfies CSSProperties} aria-hidden="true">
      {shown.filter((tile) => tile.depth === depth).map((tile) => <Tile key={tile.key} tile={tile} running={runningOf(tile, fresh)} />)}
    </svg>
  ));
});

const runningOf = (tile: EdgeTile, fresh: Map<string, GraphNode>): string => tile.edges.flatMap((edge) => (fresh.get(edge.to)?.state === "running" ? [edge.id] : [])).join("\n");

const Tile = memo(function Tile({ tile, running }: { tile: EdgeTile; running: string }) {
  const all = useMemo(() => tile.edges.map((edge) => edgePath(edge.points)).join(""), [tile]);
  const heads = useMemo(() => tile.edges.map((edge) => arrowPath(edge.points)).join(""), [tile]);
  const moving = useMemo(() => new Set(running.split("\n")), [running]);
  return (
    <>
      <path className={styles.edge} d={all} />
      <path className={styles.arrow} d={heads} />
      {running !== "" && <path className={`${styles.edge} ${styles.runningEdge}`} d={tile.edges.flatMap((edge) => (moving.has(edge.id) ? [edgePath(edge.points)] : [])).join("")} />}
      {running !== "" && <path className={`${styles.arrow} ${styles.runningArrow}`} d={tile.edges.flatMap((edge) => (moving.has(edge.id) ? [arrowPath(edge.points)] : [])).join("")} />}
    </>
  );
});
