import { useMemo, useState } from "react";
import { useSessions } from "../../api/account";
import { endSessionOf } from "../../api/cluster";
import { endSessionCommand } from "../../kinds/commands";
import type { SessionRow } from "../../kinds/generated";
import { Button } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { CommandHint } from "../../parts/command/CommandHint";
import { useAction } from "../../parts/overlay/useAction";
import type { Column } from "../../parts/table/columns";
import { DataTable } from "../../parts/table/DataTable";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import { browserOf } from "../account/browsers";

/** Who is signed in, from where; an administrator ends any session but the own one. */
export function ClusterSessions({ rows, isReadOnly }: { rows: SessionRow[]; isReadOnly: boolean }) {
  const words = useWords().cluster;
  const own = useSessions().data?.find((one) => one.current)?.id;
  const [ended, setEnded] = useState<readonly string[]>([]);
  const { run } = useAction();
  const revoke = ({ user, id }: SessionRow) =>
    void run(() => endSessionOf(user, id), words.revoked(user)).then((done) => {
      if (done) setEnded((before) => [...before, id]);
    });
  const columns = useMemo<Column<SessionRow>[]>(
    () => [
      { id: "user", header: words.user, value: (row) => row.user },
      { id: "browser", header: words.browser, value: (row) => browserOf(row.userAgent), cell: (row) => <span title={row.userAgent}>{browserOf(row.userAgent)}</span>, hide: "medium" },
      { id: "address", header: words.address, value: (row) => row.address, hide: "wide" },
      { id: "used", header: words.lastUsed, value: (row) => row.lastUsed, cell: (row) => <Time at={row.lastUsed} /> },
      { id: "created", header: words.started, value: (row) => row.created, cell: (row) => <Time at={row.created} />, hide: "wide" },
      { id: "expires", header: words.expires, value: (row) => row.expires, cell: (row) => <Time at={row.expires} />, hide: "medium" },
    ],
    [words],
  );
  // A view is computed every few seconds: what was just ended is left out at once.
  const shown = rows.filter((row) => !ended.includes(row.id));
  return (
    <Card title={words.openSessions}>
      {shown.length === 0 ? (
        words.noSessions
      ) : (
        <DataTable
          inside="sessions"
          label={words.openSessions}
          rows={shown}
          columns={columns}
          idOf={(row) => row.id}
          actions={(row) => (row.id === own ? words.thisSession : isReadOnly ? null : <Revoke row={row} onPress={() => revoke(row)} />)}
        />
      )}
    </Card>
  );
}

function Revoke({ row, onPress }: { row: SessionRow; onPress: () => void }) {
  const words = useWords().cluster;
  return (
    <>
      <CommandHint lines={[endSessionCommand(row.user, row.id)]} /> <Button small label={words.revoke} onPress={onPress} />
    </>
  );
}
