import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { useObject, useObjects, useView } from "../../../api/hooks";
import { rightTo, useRights } from "../../../api/rights";
import type { ObjectRef, PersistentVolumeClaim, VolumeRow, VolumeSnapshot, VolumesView } from "../../../kinds/generated";
import { CLAIMS, SNAPSHOTS, consumerPath, volumeState } from "../kinds/volumes";
import { ButtonLink } from "../../../parts/button/ButtonLink";
import { Card, Facts } from "../../../parts/card/Card";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Columns, Page, Stack } from "../../../parts/page/Page";
import { PageTabs } from "../../../parts/page/PageTabs";
import { Pill } from "../../../parts/pill/Pill";
import type { Column } from "../../../parts/table/columns";
import { DataTable } from "../../../parts/table/DataTable";
import { Time } from "../../../parts/text/Time";
import { useWords } from "../../../words";
import { ObjectEvents } from "../../../pages/details/ObjectEvents";
import { ObjectYaml } from "../../../pages/details/ObjectYaml";
import { Trouble } from "../../../pages/details/Trouble";
import { UsageBar, VolumePill } from "./Usage";
import { VolumeControls } from "./VolumeControls";
import styles from "./Volumes.module.css";

/** One volume: how full it is, what uses it, and its snapshots. */
export function VolumeDetails() {
  const words = useWords().volumes;
  const { namespace = "", name = "" }: { namespace?: string; name?: string } = useParams({ strict: false });
  const volumes = useView<VolumesView>("volumes", { namespace });
  const claim = useObject<PersistentVolumeClaim>(CLAIMS, namespace, name);
  const snapshots = useObjects<VolumeSnapshot>(SNAPSHOTS, { namespace }).data ?? [];
  const row = volumes.data?.rows.find((one) => one.name === name);
  if (claim.data && row) {
    return <VolumePage row={row} claim={claim.data} snapshots={snapshots.filter((one) => one.spec.source.persistentVolumeClaimName === name)} />;
  }
  return (
    <Page title={name} parent={{ to: "/volumes/", label: words.title }}>
      {claim.data === null ? (
        <EmptyState icon="volume" sentence={words.gone} />
      ) : (
        <Loaded live={claim.phase === "error" ? claim : { ...volumes, data: undefined }}>{() => null}</Loaded>
      )}
    </Page>
  );
}

interface VolumePageProps {
  row: VolumeRow;
  claim: PersistentVolumeClaim;
  /** Of this volume. */
  snapshots: VolumeSnapshot[];
}

export function VolumePage({ row, claim, snapshots }: VolumePageProps) {
  const words = useWords();
  const own = words.volumes;
  const navigate = useNavigate();
  return (
    <Page
      title={row.name}
      isName
      badge={<VolumePill row={row} />}
      sentence={[row.capacity, row.class, row.modes.join(", ")].filter(Boolean).join(" · ")}
      parent={{ to: "/volumes/", label: own.title }}
      actions={<VolumeControls row={row} onDeleted={() => void navigate({ to: "/volumes/" })} />}
    >
      <Trouble resource={CLAIMS} row={row} state={volumeState(row)} />
      <PageTabs
        label={row.name}
        tabs={[
          { id: "overview", label: words.common.overview, content: () => <VolumeOverview row={row} claim={claim} snapshots={snapshots} /> },
          { id: "events", label: words.common.events, content: () => <ObjectEvents resource={CLAIMS} object={row} /> },
          { id: "yaml", label: words.common.yaml, content: () => <ObjectYaml objects={[{ resource: CLAIMS, object: claim }]} /> },
        ]}
      />
    </Page>
  );
}

function VolumeOverview({ row, claim, snapshots }: VolumePageProps) {
  const words = useWords();
  const own = words.volumes;
  const owners = (claim.metadata.ownerReferences ?? []).map((owner) => `${owner.kind} ${owner.name}`).join(", ");
  return (
    <Columns>
      <Stack>
        <Card title={own.usage}>
          {row.usedBytes === null ? <p className={styles.quiet}>{own.notMeasured}</p> : <UsageBar row={row} wide />}
        </Card>
        <ConsumerList row={row} />
        <SnapshotList row={row} snapshots={snapshots} />
      </Stack>
      <Card title={own.facts}>
        <Facts
          rows={[
            [own.size, row.capacity],
            [own.class, row.class],
            [own.modes, row.modes.join(", ")],
            [own.volumeMode, claim.spec?.volumeMode],
            [own.volumeName, claim.spec?.volumeName],
            [own.owners, owners],
            [own.measured, row.usedAt === null ? undefined : <Time key="at" at={row.usedAt} />],
            [words.common.created, <Time key="age" at={row.age} />],
          ]}
        />
      </Card>
    </Columns>
  );
}

function ConsumerList({ row }: { row: VolumeRow }) {
  const { volumes: own, common } = useWords();
  const columns = useMemo<Column<ObjectRef>[]>(
    () => [
      { id: "name", header: common.name, value: (ref) => ref.name, cell: (ref) => <Link to={consumerPath(ref)}>{ref.name}</Link> },
      { id: "kind", header: common.kind, value: (ref) => ref.kind },
    ],
    [common],
  );
  return (
    <Card title={own.consumers}>
      {row.consumers.length === 0 ? (
        <p className={styles.quiet}>{own.noConsumers}</p>
      ) : (
        <DataTable inside="consumers" label={own.consumers} rows={row.consumers} columns={columns} idOf={(ref) => `${ref.kind}/${ref.name}`} />
      )}
    </Card>
  );
}

const isReady = (snapshot: VolumeSnapshot): boolean => snapshot.status?.readyToUse === true;

function SnapshotList({ row, snapshots }: { row: VolumeRow; snapshots: VolumeSnapshot[] }) {
  const { volumes: own, common } = useWords();
  const missing = useRights(row.namespace)(rightTo("create", CLAIMS, row.namespace));
  const columns = useMemo<Column<VolumeSnapshot>[]>(() => {
    const state = (one: VolumeSnapshot) => (isReady(one) ? own.snapshotReady : own.snapshotWaiting);
    return [
      { id: "name", header: common.name, value: (one) => one.metadata.name },
      { id: "state", header: common.state, value: state, cell: (one) => <Pill state={isReady(one) ? "succeeded" : "waiting"} label={state(one)} /> },
      { id: "age", header: common.age, value: (one) => -Date.parse(one.metadata.creationTimestamp), cell: (one) => <Time at={one.metadata.creationTimestamp} bare />, hide: "medium" },
    ];
  }, [own, common]);
  return (
    <Card title={own.snapshots}>
      {snapshots.length === 0 ? (
        <p className={styles.quiet}>{own.noSnapshots}</p>
      ) : (
        <DataTable
          inside="snapshots"
          label={own.snapshots}
          rows={snapshots}
          columns={columns}
          idOf={(one) => one.metadata.uid}
          actions={(one) => (
            <ButtonLink to="/volumes/new" search={{ type: "snapshot", snapshot: one.metadata.name, ns: row.namespace }} small missing={missing}>
              {own.restore}
            </ButtonLink>
          )}
        />
      )}
    </Card>
  );
}
