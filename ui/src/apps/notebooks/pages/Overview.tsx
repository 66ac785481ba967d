import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { stringify } from "yaml";
import type { Notebook, NotebookRow, Pod, PodDefault } from "../../../kinds/generated";
import {
  CREATOR,
  appliedPodDefaults,
  environmentOf,
  mountsOf,
  notebookCommands,
  serverSpecOf,
  serverTypeOf,
  type MountRow,
  type VariableGroup,
} from "../kinds/notebooks";
import { volumePath } from "../../volumes/kinds/volumes";
import { Card, Facts } from "../../../parts/card/Card";
import { CommandLines } from "../../../parts/command/CommandHint";
import { Fold } from "../../../parts/form/Fold";
import { Columns, Stack } from "../../../parts/page/Page";
import { CopyButton } from "../../../parts/text/Copy";
import { Time } from "../../../parts/text/Time";
import { useWords, type Words } from "../../../words";
import { PodUsage } from "../../../pages/details/PodUsage";
import { IdleNote, hasIdleTime } from "./Controls";
import { KernelAddress } from "./KernelAddress";
import styles from "./Notebooks.module.css";

export interface OverviewProps {
  row: NotebookRow;
  notebook: Notebook;
  pod: Pod | undefined;
  /** Of the namespace. */
  podDefaults: PodDefault[];
}

export function Overview({ row, notebook, pod, podDefaults }: OverviewProps) {
  const spec = serverSpecOf(notebook);
  const names = appliedPodDefaults(pod?.metadata.annotations);
  const applied = podDefaults.filter((one) => names.includes(one.metadata.name));
  const running = pod && { namespace: row.namespace, name: pod.metadata.name };
  return (
    <Columns>
      <Stack>
        {row.status.phase === "ready" && <PodUsage pod={running} />}
        <Volumes mounts={mountsOf(spec)} namespace={row.namespace} />
        <Environment groups={environmentOf(spec, pod, applied)} />
        <Conditions notebook={notebook} />
      </Stack>
      <Stack>
        <ServerFacts row={row} notebook={notebook} />
        <Elsewhere row={row} />
        <ConfigurationList notebook={notebook} pod={pod} podDefaults={podDefaults} />
      </Stack>
    </Columns>
  );
}

function ServerFacts({ row, notebook }: { row: NotebookRow; notebook: Notebook }) {
  const words = useWords();
  const own = words.notebooks;
  const container = serverSpecOf(notebook).containers[0];
  const amounts = (values: Record<string, string | number> | undefined) =>
    Object.entries(values ?? {})
      .map(([name, value]) => `${words.home.resources[name] ?? name} ${value}`)
      .join(", ");
  return (
    <Card title={own.details.facts}>
      <Facts
        rows={[
          [words.common.type, own.types[serverTypeOf(row.serverType)]],
          [
            own.image,
            <span key="image" className={styles.copy}>
              <span className={styles.mono}>{row.image}</span>
              <CopyButton text={row.image} />
            </span>,
          ],
          [own.details.requests, amounts(container?.resources?.requests)],
          [own.details.limits, amounts(container?.resources?.limits)],
          [own.details.node, row.node],
          [own.lastUsed, hasIdleTime(row) ? <IdleNote key="idle" row={row} /> : undefined],
          [own.details.creator, notebook.metadata.annotations?.[CREATOR]],
          [words.common.created, <Time key="age" at={row.age} />],
        ]}
      />
    </Card>
  );
}

/** How to use the server from a terminal or an editor. */
function Elsewhere({ row }: { row: NotebookRow }) {
  const words = useWords().notebooks.details;
  return (
    <Card title={words.connectHere}>
      <Stack>
        <div>
          <h3>{words.ssh}</h3>
          <CommandLines lines={[notebookCommands(row).ssh]} />
        </div>
        {serverTypeOf(row.serverType) === "jupyter" && <KernelAddress row={row} />}
      </Stack>
    </Card>
  );
}

function Volumes({ mounts, namespace }: { mounts: MountRow[]; namespace: string }) {
  const words = useWords().notebooks;
  const nameOf = (mount: MountRow): ReactNode =>
    mount.kind === "claim" ? <Link to={volumePath({ namespace, name: mount.name })}>{mount.name}</Link> : kindText(mount, words);
  return (
    <Card title={words.details.volumes}>
      {mounts.length === 0 ? (
        <p className={styles.quiet}>{words.noWorkspace}</p>
      ) : (
        <Facts
          rows={mounts.map((mount) => [
            mount.path,
            <span key={mount.path}>
              {nameOf(mount)} {mount.readOnly && <span className={styles.quiet}>({words.readOnly})</span>}
            </span>,
          ])}
        />
      )}
    </Card>
  );
}

function kindText(mount: MountRow, words: Words["notebooks"]): string {
  if (mount.kind === "memory") return words.details.memoryVolume;
  return mount.kind === "scratch" ? words.details.scratchVolume : mount.name;
}

function Environment({ groups }: { groups: VariableGroup[] }) {
  const words = useWords().notebooks.details;
  const titles = { own: () => words.ownVariables, podDefault: words.podDefault, other: () => words.otherVariables };
  return (
    <Card title={words.environment}>
      {groups.length === 0 && <p className={styles.quiet}>{words.noVariables}</p>}
      {groups.map((group) => (
        <div key={`${group.origin}/${group.podDefault}`} className={styles.group}>
          <h3>{titles[group.origin](group.podDefault)}</h3>
          <Facts rows={group.variables.map(({ name, value }) => [name, <span key={name} className={styles.mono}>{value === "" ? "…" : value}</span>])} />
        </div>
      ))}
    </Card>
  );
}

/** The chosen PodDefaults with what they add, and whether the running server has them. */
function ConfigurationList({ notebook, pod, podDefaults }: Omit<OverviewProps, "row">) {
  const words = useWords().notebooks.details;
  const labels = notebook.metadata.labels ?? {};
  const applied = appliedPodDefaults(pod?.metadata.annotations);
  const chosen = podDefaults.filter((one) => Object.entries(one.spec.selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value));
  if (chosen.length === 0) return null;
  return (
    <Card title={words.configurations}>
      {chosen.map((one) => (
        <Fold key={one.metadata.name} label={one.spec.desc ?? one.metadata.name}>
          {pod !== undefined && !applied.includes(one.metadata.name) && <p className={styles.quiet}>{words.notApplied}</p>}
          <pre className={styles.preview} tabIndex={0}>
            {stringify(one.spec)}
          </pre>
        </Fold>
      ))}
    </Card>
  );
}

function Conditions({ notebook }: { notebook: Notebook }) {
  const words = useWords().notebooks.details;
  const conditions = notebook.status?.conditions ?? [];
  if (conditions.length === 0) return null;
  return (
    <Card title={words.conditions}>
      <Facts
        rows={conditions.map((one) => [
          one.type ?? "",
          <span key={one.type}>
            {[one.status, one.reason, one.message].filter(Boolean).join(" · ")} <Time at={one.lastTransitionTime} />
          </span>,
        ])}
      />
    </Card>
  );
}
