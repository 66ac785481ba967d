import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useView, type Live } from "../../../api/hooks";
import { ALL, useNamespace } from "../../../api/namespace";
import { rightTo, useRights } from "../../../api/rights";
import { newVolumeCommand } from "../kinds/volumeCommands";
import type { VolumeRow, VolumesView } from "../../../kinds/generated";
import { CLAIMS, usedPart, volumePath, volumeWord } from "../kinds/volumes";
import { Button } from "../../../parts/button/Button";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Page } from "../../../parts/page/Page";
import type { Column } from "../../../parts/table/columns";
import { DataTable } from "../../../parts/table/DataTable";
import { Name } from "../../../parts/text/Name";
import { Time } from "../../../parts/text/Time";
import { useWords, type Words } from "../../../words";
import { Consumers, UsageBar, VolumePill } from "./Usage";
import { VolumeControls } from "./VolumeControls";
import styles from "./Volumes.module.css";

/** The volumes of a namespace. */
export function VolumeList() {
  const { chosen, forLists, forNew } = useNamespace();
  const volumes = useView<VolumesView>("volumes", chosen === "" ? undefined : { namespace: forLists });
  const lacks = useRights(forNew);
  return <VolumeListPage volumes={volumes} hasNamespaces={chosen === ALL} missingCreate={lacks(rightTo("create", CLAIMS, forNew))} />;
}

interface VolumeListPageProps {
  volumes: Live<VolumesView>;
  hasNamespaces: boolean;
  missingCreate?: string | undefined;
}

export function VolumeListPage({ volumes, hasNamespaces, missingCreate }: VolumeListPageProps) {
  const words = useWords();
  const navigate = useNavigate();
  const { forNew } = useNamespace();
  const columns = useMemo(() => volumeColumns(words, hasNamespaces), [words, hasNamespaces]);
  const create = <Button label={words.volumes.new} look="primary" icon="plus" missing={missingCreate} onPress={() => void navigate({ to: "/volumes/new" })} />;
  return (
    <Page title={words.volumes.title} full actions={volumes.data?.rows.length === 0 ? undefined : create}>
      <Loaded live={volumes}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState icon="volume" sentence={words.volumes.empty} action={create} command={newVolumeCommand(forNew)} />
          ) : (
            <DataTable
              label={words.volumes.title}
              rows={rows}
              columns={columns}
              idOf={(row) => row.uid}
              facet="state"
              initialSort={{ column: "name", descending: false }}
              actions={(row) => (
                <span className={styles.controls}>
                  <VolumeControls row={row} small />
                </span>
              )}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function volumeColumns(words: Words, hasNamespaces: boolean): Column<VolumeRow>[] {
  const own = words.volumes;
  const all: (Column<VolumeRow> | undefined)[] = [
    {
      id: "name",
      header: words.common.name,
      value: (row) => row.name,
      cell: (row) => (
        <Link to={volumePath(row)}>
          <Name text={row.name} />
        </Link>
      ),
    },
    { id: "state", header: words.common.state, value: (row) => own.words[volumeWord(row)], cell: (row) => <VolumePill row={row} /> },
    hasNamespaces ? { id: "namespace", header: words.common.namespace, value: (row) => row.namespace } : undefined,
    { id: "size", header: own.size, value: (row) => row.capacityBytes, cell: (row) => row.capacity, align: "right", hide: "medium" },
    { id: "used", header: own.used, value: usedPart, cell: (row) => <UsageBar row={row} />, hide: "medium" },
    {
      id: "usedby",
      header: own.usedBy,
      value: (row) => (row.isOrphan ? own.orphan : row.consumers.map((ref) => ref.name).join(" ")),
      cell: (row) => <Consumers row={row} />,
      hide: "medium",
    },
    { id: "class", header: own.class, value: (row) => row.class ?? "", hide: "wide" },
    { id: "modes", header: own.modes, value: (row) => row.modes.join(", "), hide: "wide" },
    { id: "age", header: words.common.age, value: (row) => -Date.parse(row.age ?? ""), cell: (row) => <Time at={row.age} bare />, hide: "wide" },
  ];
  return all.filter((column) => column !== undefined);
}
