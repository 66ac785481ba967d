import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, useArtifacts, useNamespaces, useRefresh } from "../../api/pipelines";
import type { Live } from "../../../../api/hooks";
import { useNamespace } from "../../../../api/namespace";
import { PATHS, WORKFLOWS, type Artifact } from "../../kinds/pipelines";
import { typeLabel } from "../../kinds/pipelinesMetrics";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Page } from "../../../../parts/page/Page";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { CopiedName } from "../../../../parts/text/Copy";
import { Name } from "../../../../parts/text/Name";
import { Time } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";
import { NewRunButton } from "../runs/RunList";
import { Sections } from "../Sections";

/** What runs have put out. */
export function ArtifactList() {
  const namespaces = useNamespaces();
  useRefresh(namespaces.length === 0 ? undefined : WORKFLOWS, { namespace: namespaces.length === 1 ? (namespaces[0] ?? "") : "" }, [...KEYS.artifacts, "list"]);
  return <ArtifactListView live={useArtifacts()} hasNamespace={useNamespace().forLists === ""} />;
}

export function ArtifactListView({ live, hasNamespace }: { live: Live<Artifact[]>; hasNamespace: boolean }) {
  const words = useWords();
  const own = words.pipelines.artifacts;
  const columns = useMemo(() => columnsOf(words, hasNamespace), [words, hasNamespace]);
  return (
    <Page title={own.title} full>
      <Sections current="artifacts" />
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="file" sentence={own.empty} action={<NewRunButton />} />
          ) : (
            <DataTable label={own.title} rows={rows} columns={columns} idOf={(row) => row.artifact_id} facet="type" initialSort={{ column: "created", descending: false }} />
          )
        }
      </Loaded>
    </Page>
  );
}

function columnsOf({ pipelines, common }: Words, hasNamespace: boolean): Column<Artifact>[] {
  const namespace: Column<Artifact> = { id: "namespace", header: common.namespace, value: (row) => row.namespace, hide: "medium" };
  return [
    { id: "name", header: common.name, value: (row) => row.name, cell: (row) => <ArtifactLink artifact={row} /> },
    { id: "type", header: pipelines.artifacts.type, value: (row) => typeLabel(row.type) },
    ...(hasNamespace ? [namespace] : []),
    { id: "uri", header: pipelines.artifacts.uri, value: (row) => row.uri, cell: (row) => (row.uri ? <CopiedName text={row.uri} /> : "–"), hide: "medium" },
    { id: "created", header: common.age, value: (row) => -Date.parse(row.created_at ?? ""), cell: (row) => <Time at={row.created_at} bare />, align: "right" },
  ];
}

function ArtifactLink({ artifact }: { artifact: Artifact }) {
  return (
    <Link to={PATHS.artifact(artifact.artifact_id)}>
      <Name text={artifact.name || artifact.artifact_id} />
    </Link>
  );
}
