import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { arrowPath, edgePath } from "../../graph/edgePath";
import graph from "../../graph/Graph.module.css";
import type { Point } from "../../graph/layout";

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
