import { Link, useParams } from "@tanstack/react-router";
import { contentPath, useArtifact, useArtifactLinks, useContent, useFullRuns, useLive } from "../../api/pipelines";
import { PATHS, nameOf, type Artifact, type ArtifactLink, type Run } from "../../kinds/pipelines";
import { isProducer, lineageOf, type LineageEnd } from "../../kinds/pipelinesLineage";
import { artifactKind, typeLabel } from "../../kinds/pipelinesMetrics";
import { ButtonLink, ExternalButton } from "../../parts/button/ButtonLink";
import { Card, Facts } from "../../parts/card/Card";
import { EmptyState } from "../../parts/feedback/EmptyState";
import { Loaded } from "../../parts/feedback/Loaded";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { Icon } from "../../parts/Icon";
import { Columns, Page, Stack } from "../../parts/page/Page";
import { CopyButton } from "../../parts/text/Copy";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import { ArtifactPreview } from "./ArtifactPreview";
import { Metadata } from "./Metadata";
import styles from "./Pipelines.module.css";

/** An artifact: what it is, what it shows, which task made it and which read it. */
export function ArtifactDetails() {
  const words = useWords().pipelines;
  const { id = "" }: { id?: string } = useParams({ strict: false });
  const query = useArtifact(id);
  const live = useLive(query, query.data);
  const links = useArtifactLinks(id).data ?? [];
  const runs = useFullRuns([...new Set(links.flatMap((link) => (link.run_id === undefined ? [] : [link.run_id])))]).flatMap(({ data }) => (data === undefined ? [] : [data]));
  if (live.data !== undefined) return <Loaded live={live}>{(artifact) => <ArtifactPage artifact={artifact} links={links} runs={runs} />}</Loaded>;
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

interface ArtifactPageProps {
  artifact: Artifact;
  links: ArtifactLink[];
  /** The runs that the links name, as far as they have been read. */
  runs: Run[];
}

export function ArtifactPage({ artifact, links, runs }: ArtifactPageProps) {
  const { pipelines, common } = useWords();
  const words = pipelines.artifacts;
  const namespace = artifact.namespace ?? "";
  const download = contentPath(namespace, artifact.uri ?? "");
  const run = links.find(isProducer)?.run_id;
  return (
    <Page
      title={artifact.name || artifact.artifact_id}
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
            <Lineage artifact={artifact} ends={lineageOf(links, runs)} />
          </Card>
        </Stack>
        <Stack>
          <Card title={pipelines.run.facts}>
            <Facts
              rows={[
                [words.type, typeLabel(artifact.type)],
                [words.uri, artifact.uri && <span className={styles.copied}><code>{artifact.uri}</code><CopyButton text={artifact.uri} /></span>],
                [common.namespace, artifact.namespace],
                [words.run, run && <Link to={PATHS.run(run)}>{nameOf(runs.find((one) => one.run_id === run) ?? { name: run })}</Link>],
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

function Lineage({ artifact, ends }: { artifact: Artifact; ends: { producers: LineageEnd[]; consumers: LineageEnd[] } }) {
  const words = useWords().pipelines.artifacts;
  return (
    <div className={styles.lineage}>
      <Ends title={words.producer} ends={ends.producers} none={words.noProducer} />
      <span className={styles.arrow}>
        <Icon name="right" />
      </span>
      <div className={`${styles.lineageBox ?? ""} ${styles.lineageSelf ?? ""}`}>
        <b>{artifact.name || artifact.artifact_id}</b>
        <span className={styles.quiet}>{typeLabel(artifact.type)}</span>
      </div>
      <span className={styles.arrow}>
        <Icon name="right" />
      </span>
      <Ends title={words.consumers} ends={ends.consumers} none={words.noConsumers} />
    </div>
  );
}

function Ends({ title, ends, none }: { title: string; ends: LineageEnd[]; none: string }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {ends.length === 0 && <p className={styles.quiet}>{none}</p>}
      <ul>
        {ends.map((end) => (
          <li key={`${end.runId}/${end.taskId}/${end.key}`} className={styles.lineageBox}>
            <Link to={PATHS.run(end.runId)}>{end.task}</Link>
            <span className={styles.quiet}>{[end.run, end.key].filter(Boolean).join(" · ")}</span>
            {end.others.map((other) => (
              <Link key={other.artifact_id} to={PATHS.artifact(other.artifact_id)} className={styles.quiet}>
                {other.name || other.artifact_id}
              </Link>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
