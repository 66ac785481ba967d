import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { SESSIONS_KEY, changePassword, endSession, useSessions, type SessionRow } from "../../api/account";
import { messageOf } from "../../api/errors";
import { useNamespace } from "../../api/namespace";
import { useSession } from "../../api/session";
import { endSessionCommand } from "../../kinds/commands";
import { Button } from "../../parts/button/Button";
import { ExternalButton } from "../../parts/button/ButtonLink";
import { Card } from "../../parts/card/Card";
import { CommandHint, CommandLines } from "../../parts/command/CommandHint";
import { Failure } from "../../parts/feedback/Loaded";
import { TextInput } from "../../parts/field/TextInput";
import { useAction } from "../../parts/overlay/useAction";
import { Page, Stack } from "../../parts/page/Page";
import type { Column } from "../../parts/table/columns";
import { DataTable } from "../../parts/table/DataTable";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import { browserOf } from "./browsers";
import { Tokens } from "./Tokens";
import styles from "./Account.module.css";

/** The person: password, sessions, tokens for programs, kubectl. */
export function Account() {
  const words = useWords().account;
  const { data: session } = useSession();
  return (
    <Page title={words.title} sentence={session?.user}>
      <Stack>
        <Kubeconfig />
        <Tokens />
        <Sessions />
        <Password />
      </Stack>
    </Page>
  );
}

function Kubeconfig() {
  const words = useWords().account;
  const { forNew } = useNamespace();
  return (
    <Card
      title={words.kubeconfig}
      aside={
        <ExternalButton href={`/api/account/kubeconfig?namespace=${encodeURIComponent(forNew)}`} label={words.download} look="secondary" icon="download" />
      }
    >
      <p className={styles.quiet}>{words.kubeconfigText}</p>
      <CommandLines lines={["kubectl --kubeconfig windlass.kubeconfig get notebooks"]} />
    </Card>
  );
}

function Sessions() {
  const { account: words, cluster } = useWords();
  const columns = useMemo<Column<SessionRow>[]>(
    () => [
      { id: "browser", header: cluster.browser, value: (row) => browserOf(row.userAgent), cell: (row) => <span title={row.userAgent}>{browserOf(row.userAgent)}</span> },
      { id: "address", header: cluster.address, value: (row) => row.address, hide: "medium" },
      { id: "used", header: words.lastUsed, value: (row) => row.lastUsed, cell: (row) => <Time at={row.lastUsed} /> },
      { id: "expires", header: words.expires, value: (row) => row.expires, cell: (row) => <Time at={row.expires} />, hide: "medium" },
    ],
    [words, cluster],
  );
  const { data, error, refetch } = useSessions();
  const queries = useQueryClient();
  const { run } = useAction();
  const { data: session } = useSession();
  const others = (data ?? []).filter((row) => !row.current);
  const end = (row: SessionRow) =>
    void run(() => endSession(row.id), words.sessionEnded).then(() => queries.invalidateQueries({ queryKey: SESSIONS_KEY }));
  return (
    <Card title={words.sessions} aside={others.length > 0 && <CommandHint lines={others.map((row) => endSessionCommand(session?.user ?? "", row.id))} />}>
      {error !== null && <Failure message={messageOf(error)} onRetry={() => void refetch()} />}
      {data && (
        <DataTable
          inside="sessions"
          label={words.sessions}
          rows={data}
          columns={columns}
          idOf={(row) => row.id}
          actions={(row) => (row.current ? words.thisSession : <Button small label={words.endSession} onPress={() => end(row)} />)}
        />
      )}
    </Card>
  );
}

function Password() {
  const words = useWords().account;
  const { busy, run } = useAction();
  const [current, setCurrent] = useState("");
  const [wanted, setWanted] = useState("");
  return (
    <Card title={words.password}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => changePassword(current, wanted), words.passwordChanged).then((changed) => {
            if (!changed) return;
            setCurrent("");
            setWanted("");
          });
        }}
      >
        <TextInput label={words.currentPassword} type="password" value={current} onChange={setCurrent} required />
        <TextInput label={words.newPassword} type="password" value={wanted} onChange={setWanted} required />
        <Button label={words.changePassword} type="submit" busy={busy} />
      </form>
    </Card>
  );
}
