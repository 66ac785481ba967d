import { useMemo } from "react";
import type { ComponentRow, Latency, UserRow } from "../../kinds/generated";
import { Card } from "../../parts/card/Card";
import { Pill, type State } from "../../parts/pill/Pill";
import type { Column } from "../../parts/table/columns";
import { DataTable } from "../../parts/table/DataTable";
import { bytes, latency } from "../../parts/text/sizes";
import { Time } from "../../parts/text/Time";
import { duration } from "../../parts/text/times";
import { useSpeech, useWords } from "../../words";

const HEALTH: Record<ComponentRow["state"], State> = { ok: "running", degraded: "waiting", down: "failed", unknown: "unknown" };

export function Components({ rows }: { rows: ComponentRow[] }) {
  const { words: all, language } = useSpeech();
  const words = all.cluster;
  const columns = useMemo<Column<ComponentRow>[]>(
    () => [
      { id: "name", header: words.component, value: (row) => row.name },
      {
        id: "state",
        header: words.health,
        value: (row) => row.state,
        word: (row) => words.states[row.state],
        cell: (row) => (
          <span title={row.message}>
            <Pill state={HEALTH[row.state]} label={words.states[row.state]} /> {row.message}
          </span>
        ),
      },
      { id: "memory", header: words.memory, value: (row) => row.memoryBytes ?? undefined, cell: (row) => (row.memoryBytes === null ? "–" : bytes(row.memoryBytes)), align: "right" },
      { id: "cpu", header: words.cpu, value: (row) => row.cpuSeconds ?? undefined, cell: (row) => (row.cpuSeconds === null ? "–" : duration(row.cpuSeconds, language)), align: "right", hide: "wide" },
      { id: "restarts", header: words.restarts, value: (row) => row.restarts ?? undefined, align: "right", hide: "medium" },
      { id: "started", header: words.started, value: (row) => row.started ?? undefined, cell: (row) => <Time at={row.started} />, hide: "medium" },
      { id: "version", header: words.version, value: (row) => row.version, hide: "wide" },
      { id: "pid", header: words.pid, value: (row) => row.pid ?? undefined, align: "right", hide: "wide" },
    ],
    [words, language],
  );
  return (
    <Card title={words.components}>
      <DataTable inside="components" label={words.components} rows={rows} columns={columns} idOf={(row) => row.name} />
    </Card>
  );
}

export function Latencies({ rows }: { rows: Latency[] }) {
  const words = useWords().cluster;
  const columns = useMemo<Column<Latency>[]>(() => {
    const time = (seconds: number | null) => (seconds === null ? "–" : latency(seconds));
    return [
      { id: "verb", header: words.verb, value: (row) => row.verb },
      { id: "requests", header: words.requests, value: (row) => row.requests, align: "right" },
      { id: "p50", header: "p50", value: (row) => row.p50Seconds ?? undefined, cell: (row) => time(row.p50Seconds), align: "right" },
      { id: "p90", header: "p90", value: (row) => row.p90Seconds ?? undefined, cell: (row) => time(row.p90Seconds), align: "right", hide: "medium" },
      { id: "p99", header: "p99", value: (row) => row.p99Seconds ?? undefined, cell: (row) => time(row.p99Seconds), align: "right" },
    ];
  }, [words]);
  return (
    <Card title={words.latency}>
      <DataTable inside="latency" label={words.latency} rows={rows} columns={columns} idOf={(row) => row.verb} />
    </Card>
  );
}

export function Users({ rows }: { rows: UserRow[] }) {
  const words = useWords().cluster;
  const columns = useMemo<Column<UserRow>[]>(
    () => [
      { id: "user", header: words.user, value: (row) => row.email },
      { id: "groups", header: words.groups, value: (row) => row.groups.join(", "), hide: "wide" },
      { id: "source", header: words.source, value: (row) => row.source, hide: "medium" },
      { id: "sessions", header: words.sessions, value: (row) => row.sessions, align: "right" },
      { id: "seen", header: words.lastSeen, value: (row) => row.lastSeen ?? undefined, cell: (row) => <Time at={row.lastSeen} /> },
    ],
    [words],
  );
  return (
    <Card title={words.users}>
      <DataTable inside="users" label={words.users} rows={rows} columns={columns} idOf={(row) => row.email} />
    </Card>
  );
}
