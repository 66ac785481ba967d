import { useContent } from "../../api/pipelines";
import { messageOf } from "../../../../api/errors";
import type { Artifact } from "../../kinds/pipelines";
import { areaUnder, artifactKind, confusionOf, rocOf, scalarsOf, slicesOf, withoutSteps } from "../../kinds/pipelinesMetrics";
import { Failure } from "../../../../parts/feedback/Loaded";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { Markdown } from "../../../../parts/markdown/Markdown";
import { compactNumber } from "../../../../parts/plot/series";
import { useWords } from "../../../../words";
import { ConfusionTable, HtmlFrame, RocPlot } from "./figures";
import styles from "../Pipelines.module.css";
import { ScalarTable } from "../compare/ScalarTable";

/** What an artifact shows, by its type. */
export function ArtifactPreview({ artifact, namespace }: { artifact: Artifact; namespace: string }) {
  const kind = artifactKind(artifact);
  if (kind === "metrics") return <Scalars artifact={artifact} />;
  if (kind === "classification") return <Classification id={artifact.artifact_id} metrics={artifact.metadata} />;
  if (kind === "sliced") {
    return slicesOf(artifact).map((slice) => (
      <section key={slice.name} className={styles.group} aria-label={slice.name}>
        <h3>{slice.name}</h3>
        <Classification id={`${artifact.artifact_id}/${slice.name}`} metrics={slice.metrics} />
      </section>
    ));
  }
  if (kind === "html" || kind === "markdown") return <Content artifact={artifact} namespace={namespace} isHtml={kind === "html"} />;
  return null;
}

export function Scalars({ artifact }: { artifact: Artifact }) {
  const scalars = Object.entries(scalarsOf(artifact));
  return <ScalarTable scalars={scalars.map(([name, value]) => ({ name, text: Number.isInteger(value) ? String(value) : compactNumber(value), exact: String(value) }))} />;
}

function Classification({ id, metrics }: { id: string; metrics: unknown }) {
  const roc = rocOf(metrics, id, "ROC");
  const matrix = confusionOf(metrics);
  return (
    <div className={styles.group}>
      {roc && <RocPlot series={[withoutSteps({ ...roc, label: `AUC ${areaUnder(roc).toFixed(3)}` })]} />}
      {matrix && <ConfusionTable matrix={matrix} />}
    </div>
  );
}

/** A file that is read to be shown. */
export function Content({ artifact, namespace, isHtml }: { artifact: Artifact; namespace: string; isHtml: boolean }) {
  const words = useWords().pipelines.artifacts;
  const content = useContent(namespace, artifact.uri ?? "", artifact.uri !== undefined);
  if (content.error) return <Failure message={messageOf(content.error)} onRetry={() => void content.refetch()} />;
  if (content.data === undefined) return artifact.uri === undefined ? null : <Skeleton lines={3} />;
  if (content.data === "") return <p className={styles.quiet}>{words.empty404}</p>;
  return isHtml ? <HtmlFrame source={content.data} title={artifact.name ?? words.preview} /> : <Markdown source={content.data} />;
}
