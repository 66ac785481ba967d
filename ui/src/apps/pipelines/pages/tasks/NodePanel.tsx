import { useEffect, useRef } from "react";
import { isWaiting, type GraphNode } from "../../kinds/graph/pipelinesGraph";
import { nodePill } from "../../kinds/graph/pipelinesTasks";
import { Facts } from "../../../../parts/card/Card";
import { Button } from "../../../../parts/button/Button";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { PageTabs, type TabSpec } from "../../../../parts/page/PageTabs";
import { Pill } from "../../../../parts/pill/Pill";
import { Time } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";
import { TaskOutput } from "../runs/RunOutput";
import { TaskIo } from "./TaskIo";
import { TaskLog } from "./TaskLog";
import { TaskManifest } from "./TaskManifest";
import { TaskMetadata } from "./TaskMetadata";
import { TaskEvents, TaskPod } from "./TaskPod";
import type { TaskSource } from "./taskSource";

interface NodePanelProps {
  node: GraphNode;
  /** Undefined for a pipeline that is only looked at. */
  source: TaskSource | undefined;
  namespace: string;
  onClose: () => void;
}

/** One step: what went in and came out, its log, its pod. */
export function NodePanel({ node, source, namespace, onClose }: NodePanelProps) {
  const words = useWords().pipelines;
  const place = usePlaceInSight();
  return (
    <section ref={place} className={styles.panel} aria-label={node.label}>
      <header className={styles.panelHead}>
        <h2>{node.kind === "iteration" ? words.graph.iteration(node.label) : node.label}</h2>
        {node.state !== "none" && <Pill state={nodePill(node.state)} label={words.nodeStates[node.state]} />}
        <Button small iconOnly look="quiet" icon="close" label={words.task.close} onPress={onClose} />
      </header>
      <Note node={node} />
      {source === undefined ? <NodeFacts node={node} /> : <PageTabs key={node.id} label={node.label} parameter="panel" tabs={tabsOf(node, source, namespace, words.task)} />}
    </section>
  );
}

/** On a narrow window a panel is below its graph: it is moved into sight when it opens. */
function usePlaceInSight() {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const panel = place.current;
    if (panel !== null && panel.getBoundingClientRect().top > window.innerHeight * NEARLY_ALL) panel.scrollIntoView({ block: "start" });
  }, []);
  return place;
}

const NEARLY_ALL = 0.75;

function tabsOf(node: GraphNode, source: TaskSource, namespace: string, words: ReturnType<typeof useWords>["pipelines"]["task"]): TabSpec[] {
  const pod = node.record?.pod ?? "";
  const io: TabSpec = { id: "io", label: words.io, content: () => <TaskIo record={node.record} namespace={namespace} /> };
  const details: TabSpec = { id: "details", label: words.details, content: () => <NodeFacts node={node} /> };
  const metadata: TabSpec[] = source.hasMetadata ? [{ id: "metadata", label: words.metadata, content: () => <TaskMetadata record={node.record} /> }] : [];
  if (node.children.length > 0 || node.kind === "suspend") return [io, details, ...metadata];
  const { manifest } = node;
  const manifests: TabSpec[] = manifest === undefined ? [] : [{ id: "manifest", label: words.manifest, content: () => <TaskManifest manifest={manifest} record={node.record} label={node.label} /> }];
  const visualisations: TabSpec[] = source.hasVisualisations
    ? [{ id: "visualisations", label: words.visualisations, content: () => <TaskOutput record={node.record} namespace={namespace} /> }]
    : [];
  return [
    io,
    ...manifests,
    ...visualisations,
    { id: "logs", label: words.logs, content: () => <TaskLog key={pod} source={source} record={node.record} namespace={namespace} /> },
    { id: "events", label: words.events, content: () => <TaskEvents pod={pod} namespace={namespace} /> },
    { id: "pod", label: words.pod, content: () => <TaskPod pod={pod} namespace={namespace} /> },
    details,
    ...metadata,
  ];
}

/** Why it failed, or why it did not run at all. */
function Note({ node }: { node: GraphNode }) {
  const words = useWords().pipelines.task;
  if (node.state === "failed" && node.record?.message) return <WhyCard state="failed" sentence={node.record.message} />;
  if (node.state === "skipped") return <WhyCard state="stopped" sentence={words.skipped} detail={node.condition} />;
  if (node.kind === "suspend" && node.state === "running") return <WhyCard state="waiting" sentence={words.paused} />;
  if (isWaiting(node)) return <WhyCard state="waiting" sentence={node.record?.message ?? ""} />;
  if (node.state === "cached") return <WhyCard state="succeeded" sentence={words.cached} />;
  return null;
}

function NodeFacts({ node }: { node: GraphNode }) {
  const { pipelines, common } = useWords();
  const words = pipelines.task;
  const record = node.record;
  return (
    <Facts
      rows={[
        [common.kind, pipelines.kinds[node.kind]],
        [words.condition, node.condition && <code>{node.condition}</code>],
        [words.image, node.image && <code>{node.image}</code>],
        [common.created, record?.created && <Time at={record.created} />],
        [pipelines.started, record?.started && <Time at={record.started} />],
        [pipelines.finished, record?.ended && <Time at={record.ended} />],
        [words.attempts, record !== undefined && record.failedPods.length > 0 ? record.failedPods.length + 1 : ""],
        [words.volumes, node.mounts?.length ? node.mounts.map((mount) => <div key={mount.path}><code>{mount.path}</code> <span className={styles.quiet}>{mount.volume}</span></div>) : ""],
      ]}
    />
  );
}
