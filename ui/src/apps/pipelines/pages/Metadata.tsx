import { parameterText } from "../kinds/pipelinesForm";
import { useWords } from "../../../words";
import styles from "./Pipelines.module.css";

const MAX_SHOWN = 2_000;

/** Curves and matrices are drawn by the preview. */
const DRAWN = new Set(["confidenceMetrics", "confusionMatrix", "evaluationSlices"]);

/** The metadata of an artifact, as text. */
export function Metadata({ metadata }: { metadata: Record<string, unknown> }) {
  const words = useWords().pipelines.artifacts;
  const entries = Object.entries(metadata).filter(([name]) => !DRAWN.has(name));
  if (entries.length === 0) return <p className={styles.quiet}>{words.noMetadata}</p>;
  return (
    <section className={styles.group} aria-label={words.metadata}>
      <h3>{words.metadata}</h3>
      <dl className={styles.ioList}>
        {entries.map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{name}</dt>
            <dd>
              <code className={styles.value} tabIndex={0}>
                {parameterText(value).slice(0, MAX_SHOWN)}
              </code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
