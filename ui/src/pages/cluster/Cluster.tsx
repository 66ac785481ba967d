import { useView } from "../../api/hooks";
import { useSession } from "../../api/session";
import type { ClusterView, ComponentRow } from "../../kinds/generated";
import { Card, Facts } from "../../parts/card/Card";
import { CommandHint } from "../../parts/command/CommandHint";
import { Loaded } from "../../parts/feedback/Loaded";
import { Columns, Page, Stack } from "../../parts/page/Page";
import { bytes } from "../../parts/text/sizes";
import { duration } from "../../parts/text/times";
import { useSpeech, useWords } from "../../words";
import { BackupCard } from "./BackupCard";
import { ClusterNodes } from "./ClusterNodes";
import { ClusterSessions } from "./ClusterSessions";
import { MachineView } from "./MachineView";
import { Components, Latencies, Users } from "./ClusterTables";

/** The health of every part, for administrators and for the only user of a machine. */
export function Cluster() {
  const words = useWords().cluster;
  const cluster = useView<ClusterView>("cluster", {});
  const { data: session } = useSession();
  const isReadOnly = session !== undefined && session.hasMachineView && !session.isClusterAdmin;
  return (
    <Page
      title={words.title}
      sentence={cluster.data && healthOf(cluster.data.components, words)}
      actions={<CommandHint lines={["windlass status", "windlass backup windlass-backup.tar"]} />}
    >
      <Loaded live={cluster}>{(view) => <ClusterContent view={view} isReadOnly={isReadOnly} />}</Loaded>
    </Page>
  );
}

function healthOf(components: ComponentRow[], words: { healthy: string; unhealthy: (names: string) => string }): string {
  const unwell = components.filter((one) => one.state === "down" || one.state === "degraded");
  return unwell.length === 0 ? words.healthy : words.unhealthy(unwell.map((one) => one.name).join(", "));
}

export function ClusterContent({ view, isReadOnly = false }: { view: ClusterView; isReadOnly?: boolean }) {
  return (
    <Stack>
      {isReadOnly && <MachineView />}
      <Components rows={view.components} />
      <ClusterNodes nodes={view.nodes} />
      <ClusterSessions rows={view.sessions} isReadOnly={isReadOnly} />
      <Columns>
        <Stack>
          <Users rows={view.users} />
          <Latencies rows={view.latencies} />
        </Stack>
        <Data view={view} isReadOnly={isReadOnly} />
      </Columns>
    </Stack>
  );
}

function Data({ view, isReadOnly }: { view: ClusterView; isReadOnly: boolean }) {
  const { words: all, language } = useSpeech();
  const words = all.cluster;
  return (
    <Stack>
      <Card title={words.data}>
        <Facts
          rows={[
            [words.version, view.version],
            [words.uptime, view.uptimeSeconds === null ? undefined : duration(view.uptimeSeconds, language)],
            ...view.directories.map((one): [string, string] => [one.name, bytes(one.bytes)]),
            [words.diskFree, view.diskFreeBytes === null ? undefined : bytes(view.diskFreeBytes)],
          ]}
        />
      </Card>
      <BackupCard view={view} isReadOnly={isReadOnly} />
      {view.notes.length > 0 && <Card title={words.notes}><span lang="en">{view.notes.join(" ")}</span></Card>}
    </Stack>
  );
}
