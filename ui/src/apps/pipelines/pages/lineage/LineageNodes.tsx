import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { Link } from "@tanstack/react-router";
import { PATHS } from "../../kinds/pipelines";
import type { LineageNode } from "../../kinds/pipelinesLineage";
import { nodePill } from "../../kinds/graph/pipelinesTasks";
import graphStyles from "../../graph/Graph.module.css";
import { Icon } from "../../../../parts/Icon";
import { StateShape } from "../../../../parts/pill/Pill";
import { useWords } from "../../../../words";
import styles from "./Lineage.module.css";

export interface LineageFlowData extends Record<string, unknown> {
  node: LineageNode;
  isFocus: boolean;
  onToggle: (key: string, isOpen: boolean) => void;
}

type FlowProps = NodeProps<Node<LineageFlowData>>;

function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Top} className={graphStyles.handle ?? ""} isConnectable={false} />
      <Handle type="source" position={Position.Bottom} className={graphStyles.handle ?? ""} isConnectable={false} />
    </>
  );
}

/** A task of a run: what it made is below it, what it read above. */
function ExecutionNode({ data: { node, isFocus, onToggle } }: FlowProps) {
  const words = useWords().pipelines;
  return (
    <div className={[graphStyles.node, graphStyles[node.state], isFocus && styles.focus].filter(Boolean).join(" ")}>
      <Ends />
      <NodeLink node={node} isFocus={isFocus} to={PATHS.execution(node.id)}>
        <span className={graphStyles.mark}>{node.state === "none" ? <Icon name="play" size={14} /> : <StateShape state={nodePill(node.state)} />}</span>
        <span className={graphStyles.text}>
          <span className={graphStyles.name}>{node.label}</span>
          <span className={graphStyles.second}>{[node.state === "none" ? "" : words.nodeStates[node.state], node.second].filter(Boolean).join(" · ")}</span>
        </span>
      </NodeLink>
      <Toggle node={node} onToggle={onToggle} />
    </div>
  );
}

function ArtifactNode({ data: { node, isFocus, onToggle } }: FlowProps) {
  return (
    <div className={[graphStyles.artifact, styles.artifact, isFocus && styles.focus].filter(Boolean).join(" ")}>
      <Ends />
      <NodeLink node={node} isFocus={isFocus} to={PATHS.artifact(node.id)}>
        <Icon name="file" size={12} />
        <span className={graphStyles.name}>{node.label}</span>
        <span className={[graphStyles.second, styles.kind].join(" ")}>{node.second}</span>
      </NodeLink>
      <Toggle node={node} onToggle={onToggle} />
    </div>
  );
}

/** The name leads to the page of the node, unless this is it. */
function NodeLink({ node, isFocus, to, children }: { node: LineageNode; isFocus: boolean; to: string; children: React.ReactNode }) {
  const title = [node.label, node.second].filter(Boolean).join(" · ");
  if (isFocus) return <span className={[graphStyles.body, styles.still].join(" ")} title={title} aria-current="true">{children}</span>;
  return (
    <Link to={to} className={[graphStyles.body, styles.link].join(" ")} title={title}>
      {children}
    </Link>
  );
}

function Toggle({ node, onToggle }: Pick<LineageFlowData, "node" | "onToggle">) {
  const words = useWords().pipelines.lineage;
  if (!node.hasMore) return null;
  return (
    <button type="button" className={graphStyles.fold} aria-expanded={node.isOpen} aria-label={node.isOpen ? words.fold(node.label) : words.unfold(node.label)} onClick={() => onToggle(node.key, !node.isOpen)}>
      <Icon name={node.isOpen ? "minus" : "plus"} size={14} />
    </button>
  );
}

/** Outside of any component: React Flow wants the same object each time. */
export const LINEAGE_NODE_TYPES = { execution: ExecutionNode, artifact: ArtifactNode };
