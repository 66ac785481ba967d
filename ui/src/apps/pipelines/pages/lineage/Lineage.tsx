import { Suspense, lazy, useCallback, useMemo, useState } from "react";
import { useExecutionsById, useLinksOf } from "../../api/pipelinesExecutions";
import type { Artifact } from "../../kinds/pipelines";
import { MAX_EXECUTIONS, executionIds, keyOf, lineageGraph, type LineagePlace } from "../../kinds/pipelinesLineage";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { useWords } from "../../../../words";
import styles from "./Lineage.module.css";

interface LineageProps {
  focus: LineagePlace;
  label: string;
  /** The artifact itself, where the page has read it. */
  artifact?: Artifact;
}

/** React Flow and dagre are a chunk of their own, fetched with the first graph. */
const LineageCanvas = lazy(() => import("./LineageCanvas").then((module) => ({ default: module.LineageCanvas })));

/** Where an artifact comes from and what became of it, across runs: two hops at first, and one more for each node that is opened. */
export function Lineage({ focus, label, artifact }: LineageProps) {
  const words = useWords().pipelines.lineage;
  const { kind, id } = focus;
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const opened = useMemo(() => openArtifacts({ kind, id }, changed), [kind, id, changed]);
  const links = useLinksOf(opened);
  const wanted = [...new Set([...(kind === "execution" ? [id] : []), ...executionIds(links.values())])];
  const executions = useExecutionsById(wanted.slice(0, 2 * MAX_EXECUTIONS));
  const artifacts = useMemo(() => new Map(artifact === undefined ? [] : [[artifact.artifact_id, artifact]]), [artifact]);
  const graph = lineageGraph({ kind, id }, changed, { links, executions, artifacts });
  const isReading = links.size < opened.length || executions.size < Math.min(wanted.length, 2 * MAX_EXECUTIONS);
  const toggle = useCallback((key: string, isOpen: boolean) => setChanged((before) => new Map(before).set(key, isOpen)), []);
  if (graph.nodes.length === 1 && isReading) return <Skeleton lines={5} />;
  return (
    <div className={styles.lineage}>
      {graph.nodes.length === 1 && <p className={styles.note}>{kind === "artifact" ? words.alone : words.noArtifacts}</p>}
      <Suspense fallback={<Skeleton lines={5} />}>
        <LineageCanvas label={words.label(label)} graph={graph} focus={keyOf(focus)} onToggle={toggle} />
      </Suspense>
      {graph.left > 0 && <p className={styles.note}>{words.left(MAX_EXECUTIONS, graph.left)}</p>}
    </div>
  );
}

/** The artifacts whose executions are asked for: the one that the page is about, unless it is folded, and those that someone opened. */
function openArtifacts(focus: LineagePlace, changed: ReadonlyMap<string, boolean>): string[] {
  const prefix = keyOf({ kind: "artifact", id: "" });
  const opened = [...changed].flatMap(([key, isOpen]) => (isOpen && key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  return [...new Set([...(focus.kind === "artifact" ? [focus.id] : []), ...opened])];
}
