import { Link } from "@tanstack/react-router";
import type { VolumeRow } from "../../../kinds/generated";
import { consumerPath, usedPart, volumeState, volumeWord } from "../kinds/volumes";
import { Pill } from "../../../parts/pill/Pill";
import { bytes } from "../../../parts/text/sizes";
import { useWords } from "../../../words";
import styles from "./Volumes.module.css";

const NEARLY_FULL = 0.9;
const SHOWN = 2;

export function VolumePill({ row }: { row: VolumeRow }) {
  const { volumes: words, reasons } = useWords();
  return (
    <span title={reasons.phase(row.status)}>
      <Pill state={volumeState(row)} label={words.words[volumeWord(row)]} />
    </span>
  );
}

/** How much of it is used, as numbers and a bar. */
export function UsageBar({ row, wide }: { row: VolumeRow; wide?: boolean }) {
  const words = useWords().volumes;
  const part = usedPart(row);
  if (part === undefined || row.usedBytes === null) return <span>–</span>;
  const text = words.usedOf(bytes(row.usedBytes), row.capacity);
  return (
    <div>
      {text}
      <div className={[styles.bar, wide && styles.wide].filter(Boolean).join(" ")} role="img" aria-label={text}>
        <div className={[styles.part, part >= NEARLY_FULL && styles.full].filter(Boolean).join(" ")} style={{ width: `${Math.min(100, part * 100)}%` }} />
      </div>
    </div>
  );
}

/** What uses it, with links; or that nothing does. */
export function Consumers({ row }: { row: VolumeRow }) {
  const words = useWords().volumes;
  const shown = row.consumers;
  if (row.isOrphan) {
    return (
      <span className={styles.orphan} title={words.orphanHint}>
        {words.orphan}
      </span>
    );
  }
  return (
    <span className={styles.cell}>
      {shown.slice(0, SHOWN).map((ref) => (
        <Link key={`${ref.kind}/${ref.name}`} to={consumerPath(ref)} title={`${ref.kind} ${ref.name}`}>
          {ref.name}
        </Link>
      ))}
      {shown.length > SHOWN && <span className={styles.quiet}>{words.more(shown.length - SHOWN)}</span>}
      {shown.length === 0 && "–"}
    </span>
  );
}
