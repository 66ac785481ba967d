import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { arrowPath, edgePath } from "../../parts/graph/edgePath";
import graph from "../../parts/graph/Graph.module.css";
import type { Point } from "../../parts/graph/layout";

export type RoutedFlowEdge = Edge<{ points: Point[] }>;

const RoutedEdge = memo(function RoutedEdge({ data, id }: EdgeProps<RoutedFlowEdge>) {
  const points = data?.points ?? [];
  return (
    <>
      <BaseEdge id={id} path={edgePath(points)} />
      <path className={graph.arrow} d={arrowPath(points)} />
    </>
  );
});

/** Outside of any component: React Flow wants the same object each time. */
export const EDGE_TYPES = { routed: RoutedEdge };
