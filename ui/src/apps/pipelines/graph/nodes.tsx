import type { Artifact } from "../kinds/pipelines";
import type { ArtifactMark, GraphNode } from "../kinds/graph/pipelinesGraph";
import { nodePill, type NodeState } from "../kinds/graph/pipelinesTasks";
import { typeLabel } from "../kinds/pipelinesMetrics";
import { useWords } from "../../../words";
import { Icon, type IconName } from "../../../parts/Icon";
import { StateShape } from "../../../parts/pill/Pill";
import { Duration } from "../../../parts/text/Time";
import styles from "./Graph.module.css";

interface StepProps {
  node: GraphNode;
  isChosen: boolean;
  onChoose: (id: string) => void;
  onToggle: (id: string) => void;
}

const ICONS: Record<GraphNode["kind"], IconName> = {
  task: "play",
  importer: "download",
  dag: "pipeline",
  loop: "restart",
  condition: "branch",
  branches: "branch",
  exit: "stop",
  iteration: "restart",
  suspend: "pause",
};

const stateClass = (state: NodeState): string => styles[state] ?? "";

/** A step, or a group that is folded. */
export function StepNode({ node, isChosen, onChoose, onToggle }: StepProps) {
  const words = useWords().pipelines;
  const isGroup = node.children.length > 0;
  const isIteration = node.kind === "iteration";
  const name = isIteration ? words.graph.iteration(node.label) : node.label;
  return (
    <div className={[styles.node, isIteration && styles.small, isGroup && styles.folded, stateClass(node.state), isChosen && styles.chosen].filter(Boolean).join(" ")}>
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
}

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
export function GroupNode({ node, isChosen, onChoose, onToggle }: StepProps) {
  const words = useWords().pipelines;
  return (
    <div className={[styles.group, stateClass(node.state), isChosen && styles.chosen].filter(Boolean).join(" ")}>
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
}

export function ArtifactNode({ mark, onArtifact }: { mark: ArtifactMark; onArtifact: (artifact: Artifact) => void }) {
  const { artifact } = mark;
  return (
    <div className={styles.artifact}>
      <button type="button" className={styles.body} disabled={artifact === undefined} onClick={() => artifact && onArtifact(artifact)} title={`${mark.name} · ${typeLabel(mark.type)}`}>
        <Icon name="file" size={12} />
        <span className={styles.name}>{mark.name}</span>
      </button>
    </div>
  );
}
