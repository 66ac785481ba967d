import { ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useCallback, useMemo, useRef } from "react";
import { allNodes } from "../kinds/graph/pipelinesGraph";
import { useWords } from "../../../words";
import { Button } from "../../../parts/button/Button";
import { Skeleton } from "../../../parts/feedback/Skeleton";
import { Check } from "../../../parts/field/Check";
import { indexOf } from "./drawnNodes";
import type { GraphProps } from "./Graph";
import { GraphScene } from "./GraphScene";
import { useLayout } from "./useLayout";
import { useView } from "./useView";
import { wholeView } from "./viewport";
import styles from "./Graph.module.css";

const NO_OPTIONS = { hideAttribution: true };
const MIN_ZOOM = 0.05;

/** React Flow as a component: it moves and zooms what the scene draws. */
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
  const placed = useLayout({ nodes, open, hasArtifacts });
  const fresh = useMemo(() => indexOf(nodes), [nodes]);
  const hasMarks = useMemo(() => allNodes(nodes).some((node) => node.artifacts.length > 0), [nodes]);
  const pipeline = nodes.map((node) => node.id).join();
  useView({ place, pipeline, placed, chosen });
  const showAll = useCallback(() => {
    const element = place.current;
    if (element !== null && placed !== undefined) void flow.setViewport(wholeView(placed, { width: element.clientWidth, height: element.clientHeight }, MIN_ZOOM));
  }, [flow, placed]);
  return (
    <div ref={place} className={styles.canvas} style={{ height }} role="group" aria-label={label}>
      {/* Before the graph: a search for something to focus, as tab panels start at each change, then ends before all the nodes. */}
      <div className={styles.controls}>
        {hasMarks && <Check label={words.artifacts} checked={hasArtifacts} onChange={onArtifacts} />}
        <Button small iconOnly look="quiet" icon="plus" label={words.zoomIn} onPress={() => void flow.zoomIn()} />
        <Button small iconOnly look="quiet" icon="minus" label={words.zoomOut} onPress={() => void flow.zoomOut()} />
        <Button small iconOnly look="quiet" icon="fit" label={words.fit} onPress={showAll} />
      </div>
      {placed === undefined && <Skeleton lines={8} />}
      <ReactFlow zoomOnDoubleClick={false} preventScrolling={false} zoomOnScroll={false} panOnScroll={false} minZoom={MIN_ZOOM} maxZoom={1.6} proOptions={NO_OPTIONS}>
        {placed && <GraphScene placed={placed} fresh={fresh} chosen={chosen} onToggle={onToggle} onChoose={onChoose} onArtifact={onArtifact} />}
      </ReactFlow>
    </div>
  );
}
