import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Pill } from "../pill/Pill";
import { bytesText, coresText } from "../plot/series";
import type { Replica } from "./ReplicaGrid";
import styles from "./ReplicaGrid.module.css";

/** The chosen replica of a grid that has no room for words in its cells. */
export function ReplicaDetail({ replica, onOpen }: { replica: Replica | undefined; onOpen: (name: string) => void }) {
  const words = useWords().viewers.grid;
  if (replica === undefined) return <p className={styles.detail}>{words.chooseHint}</p>;
  const facts = [
    replica.node === "" ? words.noNode : replica.node,
    replica.restarts > 0 ? words.restarts(replica.restarts) : "",
    replica.exitCode ? words.exit(replica.exitCode) : "",
    replica.cpuCores === null ? "" : words.cores(coresText(replica.cpuCores)),
    replica.memoryBytes === null ? "" : bytesText(replica.memoryBytes),
    replica.why ?? "",
  ];
  return (
    <p className={styles.detail} role="status">
      <b>{replica.name}</b>
      <Pill state={replica.state} label={replica.word} />
      <span>{facts.filter((fact) => fact !== "").join(" · ")}</span>
      <Button small label={words.openLogs} onPress={() => onOpen(replica.name)} />
    </p>
  );
}
