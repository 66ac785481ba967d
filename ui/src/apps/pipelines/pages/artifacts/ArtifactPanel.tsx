import { useMemo } from "react";
import { useCompleted } from "../../api/pipelines";
import type { Artifact } from "../../kinds/pipelines";
import { typeLabel } from "../../kinds/pipelinesMetrics";
import { Button } from "../../../../parts/button/Button";
import { Facts } from "../../../../parts/card/Card";
import { useWords } from "../../../../words";
import { ArtifactLink } from "./ArtifactLink";
import { ArtifactPreview } from "./ArtifactPreview";
import { Metadata } from "../Metadata";
import styles from "../Pipelines.module.css";

/** An artifact beside the graph: what it is, and what it shows. */
export function ArtifactPanel({ artifact: given, namespace, onClose }: { artifact: Artifact; namespace: string; onClose: () => void }) {
  const words = useWords().pipelines;
  const artifact = useCompleted(useMemo(() => [given], [given])).get(given.artifact_id) ?? given;
  return (
    <section className={styles.panel} aria-label={artifact.name}>
      <header className={styles.panelHead}>
        <h2>
          <ArtifactLink artifact={artifact} />
        </h2>
        <Button small iconOnly look="quiet" icon="close" label={words.task.close} onPress={onClose} />
      </header>
      <Facts
        rows={[
          [words.artifacts.type, typeLabel(artifact.type)],
          [words.artifacts.uri, artifact.uri && <code>{artifact.uri}</code>],
        ]}
      />
      <ArtifactPreview artifact={artifact} namespace={namespace} />
      <Metadata metadata={artifact.metadata ?? {}} />
    </section>
  );
}
