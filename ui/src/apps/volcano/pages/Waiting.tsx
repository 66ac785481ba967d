import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { QueueRow, WaitingGang } from "../../../kinds/generated";
import { jobPath } from "../../training/kinds/jobStates";
import { Card } from "../../../parts/card/Card";
import { DataTable } from "../../../parts/table/DataTable";
import type { Column } from "../../../parts/table/columns";
import { CopiedName } from "../../../parts/text/Copy";
import { Duration } from "../../../parts/text/Time";
import { Name } from "../../../parts/text/Name";
import { useWords, type Words } from "../../../words";
import styles from "./queues.module.css";

const whyOf = (gang: WaitingGang, words: Words): string => (gang.why === null ? "" : words.reasons.why(gang.why));

function columns(words: Words): Column<WaitingGang>[] {
  return [
    {
      id: "name",
      header: words.common.name,
      value: (gang) => gang.job || gang.name,
      cell: (gang) =>
        gang.kind === "" ? (
          <CopiedName text={gang.name} />
        ) : (
          <Link to={jobPath({ kind: gang.kind, namespace: gang.namespace, name: gang.job })}>
            <Name text={gang.job} />
          </Link>
        ),
    },
    { id: "why", header: words.queues.why, value: (gang) => gang.why?.sentence, word: (gang) => whyOf(gang, words), cell: (gang) => <span title={whyOf(gang, words)}>{whyOf(gang, words) || "–"}</span>, wraps: true },
    { id: "kind", header: words.common.kind, value: (gang) => gang.kind || undefined, hide: "wide" },
    { id: "namespace", header: words.common.namespace, value: (gang) => gang.namespace, hide: "medium" },
    { id: "position", header: words.queues.position, value: (gang) => gang.position, align: "right", hide: "medium" },
    { id: "members", header: words.queues.members, value: (gang) => gang.minMember, align: "right", hide: "wide" },
    {
      id: "since",
      header: words.queues.since,
      value: (gang) => -Date.parse(gang.since),
      cell: (gang) => <Duration from={gang.since} />,
      align: "right",
      hide: "medium",
    },
  ];
}

/** What waits in a queue, in the order in which it is tried, each with its reason. */
export function Waiting({ queue }: { queue: QueueRow }) {
  const words = useWords();
  const shown = useMemo(() => columns(words), [words]);
  if (queue.waiting.length + queue.hiddenWaiting === 0) return null;
  return (
    <Card title={words.queues.waitingIn(queue.name)}>
      <DataTable inside={`waiting-${queue.name}`} label={words.queues.waitingIn(queue.name)} rows={queue.waiting} columns={shown} idOf={(gang) => `${gang.namespace}/${gang.name}`} />
      {queue.hiddenWaiting > 0 && <p className={styles.quiet}>{words.queues.hidden(queue.hiddenWaiting)}</p>}
    </Card>
  );
}
