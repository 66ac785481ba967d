import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { TOKENS_KEY, createToken } from "../../../api/account";
import type { NotebookRow } from "../../../kinds/generated";
import { kernelAddress, kernelTokenName } from "../kinds/notebooks";
import { Button } from "../../../parts/button/Button";
import { CommandLines } from "../../../parts/command/CommandHint";
import { useAction } from "../../../parts/overlay/useAction";
import { Stack } from "../../../parts/page/Page";
import { useWords } from "../../../words";
import styles from "./Notebooks.module.css";

/** The address that an editor takes as a Jupyter server, with an access token in it that is made on demand and shown once. */
export function KernelAddress({ row }: { row: NotebookRow }) {
  const queries = useQueryClient();
  const { busy, run } = useAction();
  const [token, setToken] = useState<{ name: string; value: string }>();
  const make = () =>
    run(async () => {
      const name = kernelTokenName(row, new Date());
      setToken({ name, value: await createToken(name, ["notebooks"]) });
    }).then(() => queries.invalidateQueries({ queryKey: TOKENS_KEY }));
  return <KernelAddressCard row={row} token={token} busy={busy} onMake={() => void make()} />;
}

interface KernelAddressCardProps {
  row: NotebookRow;
  token: { name: string; value: string } | undefined;
  busy: boolean;
  onMake: () => void;
}

export function KernelAddressCard({ row, token, busy, onMake }: KernelAddressCardProps) {
  const words = useWords().notebooks.details;
  return (
    <Stack>
      <h3>{words.kernelUrl}</h3>
      {token === undefined ? (
        <>
          <p className={styles.quiet}>{words.kernelHint}</p>
          <div>
            <Button label={words.kernelMake} icon="link" busy={busy} onPress={onMake} />
          </div>
        </>
      ) : (
        <div role="status">
          <CommandLines lines={[kernelAddress(location.origin, row, token.value)]} />
          <p className={styles.quiet}>{words.kernelOnce(token.name)}</p>
          <Link to="/account">{words.tokens}</Link>
        </div>
      )}
    </Stack>
  );
}
