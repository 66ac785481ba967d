import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { objectPath, useResources } from "../../api/discovery";
import { messageOf } from "../../api/errors";
import type { Resource } from "../../api/k8s";
import { Failure } from "../../parts/feedback/Loaded";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { Page } from "../../parts/page/Page";
import type { Column } from "../../parts/table/columns";
import { DataTable } from "../../parts/table/DataTable";
import { useWords } from "../../words";

/** Every kind of object that the server has. */
export function ResourceIndex() {
  const words = useWords();
  const { data, error, refetch } = useResources();
  const columns = useMemo<Column<Resource>[]>(
    () => [
      { id: "kind", header: words.common.kind, value: (one) => one.kind, cell: (one) => <Link to={objectPath(one)}>{one.kind}</Link> },
      { id: "group", header: words.cluster.group, value: (one) => one.group || "core" },
      { id: "version", header: words.cluster.version, value: (one) => one.version, hide: "medium" },
      { id: "resource", header: words.cluster.resource, value: (one) => one.resource, hide: "medium" },
      {
        id: "scope",
        header: words.cluster.scope,
        value: (one) => (one.namespaced ? words.cluster.namespaced : words.cluster.clusterScoped),
        hide: "wide",
      },
    ],
    [words],
  );
  return (
    <Page title={words.cluster.objects} sentence={words.cluster.objectsSentence} full>
      {error !== null && <Failure message={messageOf(error)} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Skeleton />
      ) : (
        <DataTable
          label={words.cluster.objects}
          rows={data}
          columns={columns}
          idOf={(one) => `${one.group}/${one.resource}`}
          initialSort={{ column: "group", descending: false }}
        />
      )}
    </Page>
  );
}
