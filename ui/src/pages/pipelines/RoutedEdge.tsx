import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { edgePath } from "../../parts/graph/edgePath";
import type { Point } from "../../parts/graph/layout";

export type RoutedFlowEdge = Edge<{ points: Point[] }>;

const RoutedEdge = memo(function RoutedEdge({ data, id }: EdgeProps<RoutedFlowEdge>) {
  return <BaseEdge id={id} path={edgePath(data?.points ?? [])} />;
});

/** Outside of any component: React Flow wants the same object each time. */
export const EDGE_TYPES = { routed: RoutedEdge };
