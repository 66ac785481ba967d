import { useView } from "../../api/hooks";
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
import { Components, Latencies, Users } from "./ClusterTables";

/** The health of every part, for administrators. */
export function Cluster() {
  const words = useWords().cluster;
  const cluster = useView<ClusterView>("cluster", {});
  return (
    <Page
      title={words.title}
      sentence={cluster.data && healthOf(cluster.data.components, words)}
      actions={<CommandHint lines={["windlass status", "windlass backup windlass-backup.tar"]} />}
    >
      <Loaded live={cluster}>{(view) => <ClusterContent view={view} />}</Loaded>
    </Page>
  );
}

function healthOf(components: ComponentRow[], words: { healthy: string; unhealthy: (names: string) => string }): string {
  const unwell = components.filter((one) => one.state === "down" || one.state === "degraded");
  return unwell.length === 0 ? words.healthy : words.unhealthy(unwell.map((one) => one.name).join(", "));
}

export function ClusterContent({ view }: { view: ClusterView }) {
  return (
    <Stack>
      <Components rows={view.components} />
      <ClusterNodes nodes={view.nodes} />
      <ClusterSessions rows={view.sessions} />
      <Columns>
        <Stack>
          <Users rows={view.users} />
          <Latencies rows={view.latencies} />
        </Stack>
        <Data view={view} />
      </Columns>
    </Stack>
  );
}

function Data({ view }: { view: ClusterView }) {
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
      <BackupCard view={view} />
      {view.notes.length > 0 && <Card title={words.notes}><span lang="en">{view.notes.join(" ")}</span></Card>}
    </Stack>
  );
}
