import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { QueueRow, WaitingGang } from "../../kinds/generated";
import { jobPath } from "../../kinds/states";
import { Card } from "../../parts/card/Card";
import { DataTable } from "../../parts/table/DataTable";
import type { Column } from "../../parts/table/columns";
import { CopiedName } from "../../parts/text/Copy";
import { Duration } from "../../parts/text/Time";
import { Name } from "../../parts/text/Name";
import { useWords, type Words } from "../../words";
import styles from "./queues.module.css";

function columns(words: Words): Column<WaitingGang>[] {
  return [
    { id: "position", header: words.queues.position, value: (gang) => gang.position, align: "right", hide: "medium" },
    {
      id: "name",
      header: words.common.name,
      value: (gang) => gang.job || gang.name,
      cell: (gang) => (
        <>
          {gang.kind === "" ? (
            <CopiedName text={gang.name} />
          ) : (
            <Link to={jobPath({ kind: gang.kind, namespace: gang.namespace, name: gang.job })}>
              <Name text={gang.job} />
            </Link>
          )}
          <div className={styles.quiet}>{[gang.kind, gang.namespace].filter(Boolean).join(" · ")}</div>
        </>
      ),
    },
    { id: "why", header: words.queues.why, value: (gang) => gang.why?.sentence, cell: (gang) => (gang.why === null ? "–" : words.reasons.why(gang.why)), wraps: true },
    { id: "members", header: words.queues.members, value: (gang) => gang.minMember, align: "right", hide: "wide" },
    {
      id: "since",
      header: words.queues.since,
      value: (gang) => -Date.parse(gang.since),
      cell: (gang) => <Duration from={gang.since} />,
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
      <DataTable plain label={words.queues.waitingIn(queue.name)} rows={queue.waiting} columns={shown} idOf={(gang) => `${gang.namespace}/${gang.name}`} />
      {queue.hiddenWaiting > 0 && <p className={styles.quiet}>{words.queues.hidden(queue.hiddenWaiting)}</p>}
    </Card>
  );
}
