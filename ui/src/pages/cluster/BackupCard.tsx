import { backUp } from "../../api/cluster";
import type { ClusterView } from "../../kinds/generated";
import { Button } from "../../parts/button/Button";
import { Card, Facts } from "../../parts/card/Card";
import { CommandHint } from "../../parts/command/CommandHint";
import { ButtonRow } from "../../parts/form/Form";
import { useToast } from "../../parts/overlay/toasts";
import { useAction } from "../../parts/overlay/useAction";
import { Stack } from "../../parts/page/Page";
import { bytes } from "../../parts/text/sizes";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";

interface BackupCardProps {
  view: Pick<ClusterView, "lastBackup" | "backupRefusal" | "maxBackups">;
  isReadOnly: boolean;
}

/** The newest backup, and a button that writes another; or why none can be written here. */
export function BackupCard({ view: { lastBackup, backupRefusal, maxBackups }, isReadOnly }: BackupCardProps) {
  const words = useWords().cluster;
  const { busy, run } = useAction();
  const toast = useToast();
  const write = () => void run(async () => toast({ text: words.backedUp((await backUp()).backup.path) }));
  return (
    <Card title={words.backup} aside={<CommandHint lines={["windlass backup windlass-backup.tar"]} />}>
      <Stack>
        {lastBackup === null ? (
          <p>{words.noBackup}</p>
        ) : (
          <Facts
            rows={[
              [words.lastBackup, <Time key="at" at={lastBackup.at} />],
              [words.size, bytes(lastBackup.bytes)],
              [words.backupPath, lastBackup.path],
            ]}
          />
        )}
        {backupRefusal !== "" ? <p>{backupRefusal}</p> : !isReadOnly && <p>{`${words.backupText} ${words.backupsKept(maxBackups)}`}</p>}
        {backupRefusal === "" && !isReadOnly && (
          <ButtonRow>
            <Button label={words.backUpNow} icon="download" busy={busy} onPress={write} />
          </ButtonRow>
        )}
      </Stack>
    </Card>
  );
}
