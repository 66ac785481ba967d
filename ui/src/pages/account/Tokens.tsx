import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { TOKENS_KEY, createToken, revokeToken, useTokens, type TokenRow } from "../../api/account";
import { messageOf } from "../../api/errors";
import { useSession } from "../../api/session";
import { revokeCommand } from "../../kinds/commands";
import { Button } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { CommandHint, CommandLines } from "../../parts/command/CommandHint";
import { Failure } from "../../parts/feedback/Loaded";
import { TextInput } from "../../parts/field/TextInput";
import { useAction } from "../../parts/overlay/useAction";
import { Stack } from "../../parts/page/Page";
import type { Column } from "../../parts/table/columns";
import { DataTable } from "../../parts/table/DataTable";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import styles from "./Account.module.css";

/** Access tokens: made, shown once, revoked. */
export function Tokens() {
  const words = useWords();
  const { data, error, refetch } = useTokens();
  const queries = useQueryClient();
  const { busy, run } = useAction();
  const [name, setName] = useState("");
  const [value, setValue] = useState<string>();
  const { data: session } = useSession();
  const revocations = (data ?? []).map((token) => revokeCommand(session?.user ?? "", token.name));
  const columns = useMemo<Column<TokenRow>[]>(
    () => [
      { id: "name", header: words.common.name, value: (token) => token.name },
      { id: "created", header: words.common.created, value: (token) => token.created, cell: (token) => <Time at={token.created} />, hide: "medium" },
      { id: "expires", header: words.account.expires, value: (token) => token.expires, cell: (token) => <Time at={token.expires} /> },
    ],
    [words],
  );
  const refresh = () => queries.invalidateQueries({ queryKey: TOKENS_KEY });
  const create = () =>
    run(async () => {
      setValue(await createToken(name.trim()));
      setName("");
    }).then(refresh);
  return (
    <Card title={words.account.tokens} aside={revocations.length > 0 && <CommandHint lines={revocations} />}>
      <Stack>
        <p className={styles.quiet}>{words.account.tokensText}</p>
        {value !== undefined && (
          <div className={styles.value} role="status">
            {words.account.tokenOnce}
            <CommandLines lines={[value]} />
          </div>
        )}
        <form
          className={styles.short}
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== "") void create();
          }}
        >
          <TextInput label={words.account.tokenName} value={name} onChange={setName} placeholder="vscode" />
          <Button label={words.account.newToken} type="submit" busy={busy} />
        </form>
        {error !== null && <Failure message={messageOf(error)} onRetry={() => void refetch()} />}
        {data !== undefined && data.length > 0 && (
          <DataTable
            inside="tokens"
            label={words.account.tokens}
            rows={data}
            columns={columns}
            idOf={(token) => token.name}
            actions={(token) => <Button small label={words.account.revoke} onPress={() => void run(() => revokeToken(token.name)).then(refresh)} />}
          />
        )}
      </Stack>
    </Card>
  );
}
