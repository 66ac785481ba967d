import { Suspense, lazy } from "react";
import type { Artifact } from "../../kinds/pipelines";
import type { GraphNode } from "../../kinds/pipelinesGraph";
import { Skeleton } from "../feedback/Skeleton";

export interface GraphProps {
  /** Read out as the name of the graph. */
  label: string;
  nodes: GraphNode[];
  /** Ids of the unfolded groups. */
  open: ReadonlySet<string>;
  onToggle: (id: string) => void;
  chosen: string | undefined;
  onChoose: (id: string) => void;
  hasArtifacts: boolean;
  onArtifacts: (shown: boolean) => void;
  onArtifact: (artifact: Artifact) => void;
  height: number | string;
}

/** React Flow and dagre are a chunk of their own, fetched with the first graph. */
const GraphCanvas = lazy(() => import("./GraphCanvas").then((module) => ({ default: module.GraphCanvas })));

/** Steps and what depends on what, with their states. Groups fold; a press chooses a step. */
export function Graph(props: GraphProps) {
  return (
    <Suspense fallback={<Skeleton lines={8} />}>
      <GraphCanvas {...props} />
    </Suspense>
  );
}
