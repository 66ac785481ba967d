import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState, type CSSProperties } from "react";
import type { Artifact } from "../../kinds/pipelines";
import { ancestorsOf, findNode, initiallyOpen, type GraphNode } from "../../kinds/graph/pipelinesGraph";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { Graph } from "../../graph/Graph";
import { useWords } from "../../../../words";
import { ArtifactPanel } from "../artifacts/ArtifactPanel";
import { NodePanel } from "./NodePanel";
import styles from "../Pipelines.module.css";
import type { TaskSource } from "./taskSource";

interface GraphViewProps {
  nodes: GraphNode[];
  name: string;
  /** Undefined for a pipeline that is only looked at. */
  source?: TaskSource;
  namespace: string;
  isSpecKnown: boolean;
  /** What is said where nothing can be drawn. */
  empty: string;
}

const HEIGHT = "max(420px, calc(100vh - 330px))";

/** The graph, and beside it the chosen step or artifact. What is chosen is in the URL. */
export function GraphView({ nodes, name, source, namespace, isSpecKnown, empty }: GraphViewProps) {
  const words = useWords().pipelines;
  const { chosen, choose } = useChosenNode();
  const [open, toggle] = useOpen(nodes, chosen);
  const [hasArtifacts, setArtifacts] = useState(true);
  const [artifact, setArtifact] = useState<Artifact>();
  const onChoose = useCallback(
    (id: string) => {
      setArtifact(undefined);
      choose(id);
    },
    [choose],
  );
  const node = chosen === undefined ? undefined : findNode(nodes, chosen);
  if (!isSpecKnown) return <Skeleton lines={8} />;
  if (nodes.length === 0) return <EmptyState icon="pipeline" sentence={empty} />;
  const hasPanel = node !== undefined || artifact !== undefined;
  return (
    <div className={[styles.split, hasPanel && styles.withPanel].filter(Boolean).join(" ")} style={{ "--panel-height": HEIGHT } as CSSProperties}>
      <Graph
        label={words.graph.label(name)}
        nodes={nodes}
        open={open}
        onToggle={toggle}
        chosen={node?.id}
        onChoose={onChoose}
        hasArtifacts={hasArtifacts}
        onArtifacts={setArtifacts}
        onArtifact={setArtifact}
        height={HEIGHT}
      />
      {artifact !== undefined ? (
        <ArtifactPanel artifact={artifact} namespace={namespace} onClose={() => setArtifact(undefined)} />
      ) : (
        node !== undefined && <NodePanel key={node.id} node={node} source={source} namespace={namespace} onClose={() => choose(undefined)} />
      )}
    </div>
  );
}

function useChosenNode(): { chosen: string | undefined; choose: (id: string | undefined) => void } {
  const search: { node?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = useCallback(
    (id: string | undefined) => void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, node: id }), replace: true }),
    [navigate],
  );
  return { chosen: search.node, choose };
}

const MANY_ITERATIONS = 12;

/** A loop that was unfolded before it began, and has more iterations than one wants to see. */
const isWide = (node: GraphNode | undefined): boolean => node !== undefined && node.children.length > MANY_ITERATIONS && node.children[0]?.kind === "iteration";

/** The unfolded groups: at first as many as stay readable, and those around the chosen step. */
export function useOpen(nodes: GraphNode[], chosen: string | undefined): [ReadonlySet<string>, (id: string) => void] {
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const shape = nodes.map((node) => node.id).join();
  // Once for each structure: groups must not fold and unfold while tasks come and go.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const initial = useMemo(() => initiallyOpen(nodes), [shape]);
  const around = useMemo(() => (chosen === undefined ? "" : ancestorsOf(nodes, chosen).join("\n")), [nodes, chosen]);
  const wanted = useMemo(() => {
    const all = new Set([...[...initial].filter((id) => !isWide(findNode(nodes, id))), ...(around === "" ? [] : around.split("\n"))]);
    for (const [id, isOpen] of changed) if (isOpen) all.add(id);
    for (const [id, isOpen] of changed) if (!isOpen) all.delete(id);
    return [...all].join("\n");
  }, [initial, around, changed, nodes]);
  // The same set until another group is folded: a run that is read again must not be laid out again.
  const open = useMemo(() => new Set(wanted.split("\n")), [wanted]);
  const toggle = useCallback((id: string) => setChanged((before) => new Map(before).set(id, !(before.get(id) ?? open.has(id)))), [open]);
  return [open, toggle];
}
