import { Link, useParams } from "@tanstack/react-router";
import { contentPath, useArtifact, useContent, useLive } from "../../api/pipelines";
import { useArtifactLinks, useExecution } from "../../api/pipelinesExecutions";
import { PATHS, nameOf, type Artifact } from "../../kinds/pipelines";
import { isProducer } from "../../kinds/pipelinesLineage";
import { artifactKind, typeLabel } from "../../kinds/pipelinesMetrics";
import { ButtonLink, ExternalButton } from "../../../../parts/button/ButtonLink";
import { Card, Facts } from "../../../../parts/card/Card";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { Columns, Page, Stack } from "../../../../parts/page/Page";
import { CopyButton } from "../../../../parts/text/Copy";
import { Time } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";
import { ArtifactPreview } from "./ArtifactPreview";
import { Lineage } from "../lineage/Lineage";
import { Metadata } from "../Metadata";
import styles from "../Pipelines.module.css";

/** An artifact: what it is, what it shows, where it comes from and what became of it. */
export function ArtifactDetails() {
  const words = useWords().pipelines;
  const { id = "" }: { id?: string } = useParams({ strict: false });
  const query = useArtifact(id);
  const live = useLive(query, query.data);
  if (live.data !== undefined) return <Loaded live={live}>{(artifact) => <ArtifactPage key={artifact.artifact_id} artifact={artifact} />}</Loaded>;
  return (
    <Page title={words.artifacts.title} parent={{ to: PATHS.artifacts, label: words.artifacts.title }}>
      {live.problem?.status === 404 ? (
        <EmptyState icon="file" sentence={words.artifacts.gone} action={<ButtonLink to={PATHS.artifacts}>{words.artifacts.title}</ButtonLink>} />
      ) : (
        <Loaded live={live}>{() => null}</Loaded>
      )}
    </Page>
  );
}

export function ArtifactPage({ artifact }: { artifact: Artifact }) {
  const { pipelines, common } = useWords();
  const words = pipelines.artifacts;
  const namespace = artifact.namespace ?? "";
  const download = contentPath(namespace, artifact.uri ?? "");
  const made = useArtifactLinks(artifact.artifact_id).data?.find(isProducer);
  const producer = useExecution(made?.task_id ?? "").data;
  return (
    <Page
      title={artifact.name || artifact.artifact_id}
      isName
      sentence={artifact.description ?? typeLabel(artifact.type)}
      parent={{ to: PATHS.artifacts, label: words.title }}
      actions={download === undefined ? undefined : <ExternalButton href={download} label={words.download} icon="download" look="secondary" />}
    >
      <Columns>
        <Stack>
          <Card title={words.preview}>
            <Preview artifact={artifact} namespace={namespace} />
          </Card>
          <Card title={words.lineage}>
            <Lineage focus={{ kind: "artifact", id: artifact.artifact_id }} label={artifact.name || artifact.artifact_id} artifact={artifact} />
          </Card>
        </Stack>
        <Stack>
          <Card title={pipelines.run.facts}>
            <Facts
              rows={[
                [words.type, typeLabel(artifact.type)],
                [words.uri, artifact.uri && <span className={styles.copied}><code>{artifact.uri}</code><CopyButton text={artifact.uri} /></span>],
                [common.namespace, artifact.namespace],
                [words.producer, made?.task_id && <Link to={PATHS.execution(made.task_id)}>{producer === undefined ? made.task_id : nameOf(producer)}</Link>],
                [words.run, made?.run_id && <Link to={PATHS.run(made.run_id)}>{producer?.run_name || made.run_id}</Link>],
                [common.created, artifact.created_at && <Time at={artifact.created_at} />],
                [words.id, <code key="id">{artifact.artifact_id}</code>],
              ]}
            />
          </Card>
          <Card>
            <Metadata metadata={artifact.metadata ?? {}} />
          </Card>
        </Stack>
      </Columns>
    </Page>
  );
}

const isText = (text: string): boolean => !/[\0\x01-\x08\x0e-\x1f\ufffd]/.test(text.slice(0, 4_000));
const SHOWN_TEXT = 20_000;

/** What its type draws; of others the beginning of the file, where it is text. */
function Preview({ artifact, namespace }: { artifact: Artifact; namespace: string }) {
  const words = useWords().pipelines.artifacts;
  const isDrawn = !["artifact", "model", "dataset"].includes(artifactKind(artifact));
  const content = useContent(namespace, artifact.uri ?? "", !isDrawn && artifact.uri !== undefined);
  if (isDrawn) return <ArtifactPreview artifact={artifact} namespace={namespace} />;
  if (content.isLoading) return <Skeleton lines={3} />;
  if (content.data === undefined || content.data === "" || !isText(content.data)) return <p className={styles.quiet}>{words.noPreview}</p>;
  return (
    <div className={styles.group}>
      <pre className={styles.text} tabIndex={0}>
        {content.data.slice(0, SHOWN_TEXT)}
      </pre>
      {content.data.length > SHOWN_TEXT && <p className={styles.quiet}>{words.cut}</p>}
    </div>
  );
}
