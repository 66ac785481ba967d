import { BaseEdge, Handle, Position, type Edge, type EdgeProps, type Node, type NodeProps } from "@xyflow/react";
import { curveBasis, line } from "d3-shape";
import { memo } from "react";
import type { Artifact } from "../../kinds/pipelines";
import type { GraphNode } from "../../kinds/pipelinesGraph";
import { nodePill, type NodeState } from "../../kinds/pipelinesTasks";
import { typeLabel } from "../../kinds/pipelinesMetrics";
import { useWords } from "../../words";
import { Icon, type IconName } from "../Icon";
import { StateShape } from "../pill/Pill";
import { Duration } from "../text/Time";
import type { PlacedNode, Point } from "./layout";
import styles from "./Graph.module.css";

export interface FlowData extends Record<string, unknown> {
  placed: PlacedNode;
  isChosen: boolean;
  onToggle: (id: string) => void;
  onChoose: (id: string) => void;
  onArtifact: (artifact: Artifact) => void;
}

type FlowProps = NodeProps<Node<FlowData>>;
export type RoutedFlowEdge = Edge<{ points: Point[] }>;

const ICONS: Record<GraphNode["kind"], IconName> = {
  task: "play",
  importer: "download",
  dag: "pipeline",
  loop: "restart",
  condition: "branch",
  branches: "branch",
  exit: "stop",
  iteration: "restart",
};

const stateClass = (state: NodeState): string => styles[state] ?? "";

function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Top} className={styles.handle ?? ""} isConnectable={false} />
      <Handle type="source" position={Position.Bottom} className={styles.handle ?? ""} isConnectable={false} />
    </>
  );
}

/** A step, or a group that is folded. */
const StepNode = memo(function StepNode({ data: { placed, isChosen, onChoose, onToggle } }: FlowProps) {
  const words = useWords().pipelines;
  const { node } = placed;
  const isGroup = node.children.length > 0;
  const isIteration = node.kind === "iteration";
  const name = isIteration ? words.graph.iteration(node.label) : node.label;
  return (
    <div className={[styles.node, isIteration && styles.small, isGroup && styles.folded, stateClass(node.state), isChosen && styles.chosen].filter(Boolean).join(" ")}>
      {/* Iterations have no edges, and there may be a thousand of them. */}
      {!isIteration && <Ends />}
      <button type="button" className={styles.body} onClick={() => onChoose(node.id)} aria-pressed={isChosen} title={name}>
        <span className={styles.mark}>{node.state === "none" ? <Icon name={ICONS[node.kind]} size={14} /> : <StateShape state={nodePill(node.state)} />}</span>
        <span className={styles.text}>
          <span className={styles.name}>{isIteration ? `#${node.label}` : node.label}</span>
          {isIteration ? <span className="visually-hidden">{words.nodeStates[node.state]}</span> : <Second node={node} />}
        </span>
      </button>
      {isGroup && <FoldButton node={node} isOpen={false} onToggle={onToggle} />}
    </div>
  );
});

/** What is said below the name: the state, with how long it took or how far a loop is. */
function Second({ node }: { node: GraphNode }) {
  const words = useWords().pipelines;
  const parts = [node.state === "none" ? words.kinds[node.kind] : words.nodeStates[node.state]];
  if (node.progress !== undefined) parts.push(`${node.progress.done}/${node.progress.total}`);
  return (
    <span className={styles.second}>
      {parts.join(" · ")}
      {node.record?.started !== undefined && node.state !== "skipped" && (node.record.ended !== undefined || node.state === "running") && (
        <>
          {" · "}
          <Duration from={node.record.started} to={node.record.ended} />
        </>
      )}
    </span>
  );
}

function FoldButton({ node, isOpen, onToggle }: { node: GraphNode; isOpen: boolean; onToggle: (id: string) => void }) {
  const words = useWords().pipelines.graph;
  return (
    <button type="button" className={styles.fold} aria-expanded={isOpen} aria-label={isOpen ? words.fold(node.label) : words.unfold(node.label)} onClick={() => onToggle(node.id)}>
      <Icon name={isOpen ? "up" : "down"} size={14} />
    </button>
  );
}

/** An unfolded group: its head, and room for what is in it. */
const GroupNode = memo(function GroupNode({ data: { placed, isChosen, onChoose, onToggle } }: FlowProps) {
  const words = useWords().pipelines;
  const { node } = placed;
  return (
    <div className={[styles.group, stateClass(node.state), isChosen && styles.chosen].filter(Boolean).join(" ")}>
      <Ends />
      <div className={styles.groupHead}>
        <button type="button" className={styles.body} onClick={() => onChoose(node.id)} aria-pressed={isChosen} title={node.condition ?? node.label}>
          <span className={styles.mark}>{node.state === "none" ? <Icon name={ICONS[node.kind]} size={14} /> : <StateShape state={nodePill(node.state)} />}</span>
          <span className={styles.name}>{node.kind === "iteration" ? words.graph.iteration(node.label) : node.label}</span>
          <span className={styles.second}>{node.progress === undefined ? words.kinds[node.kind] : `${node.progress.done}/${node.progress.total}`}</span>
          {node.state !== "none" && <span className="visually-hidden">{words.nodeStates[node.state]}</span>}
        </button>
        <FoldButton node={node} isOpen onToggle={onToggle} />
      </div>
    </div>
  );
});

const ArtifactNode = memo(function ArtifactNode({ data: { placed, onArtifact } }: FlowProps) {
  const mark = placed.artifact;
  const artifact = mark?.artifact;
  if (mark === undefined) return null;
  return (
    <div className={styles.artifact}>
      <Ends />
      <button type="button" className={styles.body} disabled={artifact === undefined} onClick={() => artifact && onArtifact(artifact)} title={`${mark.name} · ${typeLabel(mark.type)}`}>
        <Icon name="file" size={12} />
        <span className={styles.name}>{mark.name}</span>
      </button>
    </div>
  );
});

/** Along the points of the layout, not straight from end to end. */
const RoutedEdge = memo(function RoutedEdge({ data, id }: EdgeProps<RoutedFlowEdge>) {
  return <BaseEdge id={id} path={pathOf(data?.points ?? []) ?? ""} />;
});

const pathOf = line<Point>()
  .x((point) => point.x)
  .y((point) => point.y)
  .curve(curveBasis);

/** Outside of any component: React Flow wants the same object each time. */
export const NODE_TYPES = { step: StepNode, box: GroupNode, mark: ArtifactNode };
export const EDGE_TYPES = { routed: RoutedEdge };
