import { Suspense, lazy } from "react";
import { retrying } from "../../../api/chunks";
import type { Artifact } from "../kinds/pipelines";
import type { GraphNode } from "../kinds/graph/pipelinesGraph";
import { Skeleton } from "../../../parts/feedback/Skeleton";

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
const GraphCanvas = lazy(retrying(() => import("./GraphCanvas").then((module) => ({ default: module.GraphCanvas }))));

/** Steps and what depends on what, with their states. Groups fold; a press chooses a step. */
export function Graph(props: GraphProps) {
  return (
    // As high as what comes, so that nothing beside or below the graph moves.
    <Suspense fallback={<div style={{ height: props.height }}><Skeleton lines={8} /></div>}>
      <GraphCanvas {...props} />
    </Suspense>
  );
}
