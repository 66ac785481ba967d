import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { objectPath, useColumns, useResource, type PrintedColumn } from "../../api/discovery";
import { messageOf } from "../../api/errors";
import { usePrintedRows, type PrintedRow } from "../../api/hooks";
import type { Resource } from "../../api/k8s";
import { useNamespace } from "../../api/namespace";
import { useMissingToCreate } from "../../api/rights";
import { useSession } from "../../api/session";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { CommandHint } from "../../parts/command/CommandHint";
import { EmptyState } from "../../parts/feedback/EmptyState";
import { Failure, Loaded } from "../../parts/feedback/Loaded";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { Page } from "../../parts/page/Page";
import type { Column } from "../../parts/table/columns";
import { DataTable } from "../../parts/table/DataTable";
import { Name } from "../../parts/text/Name";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import { NotFound } from "../NotFound";

/** The objects of any resource, with the columns of `kubectl get`. */
export function ObjectList() {
  const params: { group?: string; version?: string; resource?: string } = useParams({ strict: false });
  const { data, error } = useResource(params.group ?? "", params.version ?? "", params.resource ?? "");
  if (error !== null) return <Failure message={messageOf(error)} />;
  if (data === undefined) return <Skeleton />;
  return data === null ? <NotFound /> : <Objects resource={data} />;
}

function Objects({ resource }: { resource: Resource }) {
  const words = useWords();
  // Which namespace to list is known with the session.
  const { data: session } = useSession();
  const { chosen, forLists, forNew } = useNamespace();
  const flag = !resource.namespaced ? "" : chosen === "*" ? " -A" : ` -n ${chosen}`;
  const name = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  return (
    <Page
      title={resource.kind}
      parent={{ to: "/objects/", label: words.cluster.objects }}
      full
      actions={
        <>
          <CommandHint lines={[`kubectl get ${name}${flag}`]} />
          <NewButton resource={resource} />
        </>
      }
    >
      {session === undefined ? (
        <Skeleton />
      ) : (
        <LiveObjects resource={resource} namespace={resource.namespaced ? forLists : ""} printedIn={resource.namespaced ? forNew : ""} />
      )}
    </Page>
  );
}

/** Follows the rows apart from the page around them, which stays as it is when they change. */
function LiveObjects({ resource, namespace, printedIn }: { resource: Resource; namespace: string; printedIn: string }) {
  const live = usePrintedRows(resource, namespace);
  const { data: columns, error } = useColumns(resource, printedIn);
  return (
    <>
      {error !== null && live.phase === "live" && <Failure message={messageOf(error)} />}
      <Loaded live={live}>
        {(rows) => (columns === undefined ? error === null && <Skeleton /> : <ObjectTable resource={resource} columns={columns} rows={rows} hasNamespace={resource.namespaced && namespace === ""} />)}
      </Loaded>
    </>
  );
}

function NewButton({ resource }: { resource: Resource }) {
  const words = useWords().cluster;
  return (
    <ButtonLink to={`${objectPath(resource)}/new`} look="primary" icon="plus" missing={useMissingToCreate(resource)}>
      {words.newObject(resource.kind)}
    </ButtonLink>
  );
}

interface ObjectTableProps {
  resource: Resource;
  columns: PrintedColumn[];
  rows: PrintedRow[];
  /** Where the objects of all namespaces are listed. */
  hasNamespace?: boolean;
}

export function ObjectTable({ resource, columns: printed, rows, hasNamespace = false }: ObjectTableProps) {
  const words = useWords();
  const header = hasNamespace ? words.common.namespace : undefined;
  const columns = useMemo(() => withNamespace(columnsOf(resource, printed), header), [resource, printed, header]);
  if (rows.length === 0) return <EmptyState icon="objects" sentence={words.cluster.noObjects(resource.resource)} />;
  return <DataTable label={resource.kind} rows={rows} columns={columns} idOf={idOf} facet={facetOf(columns)} />;
}

const idOf = (row: PrintedRow): string => row.metadata.uid;

/** Columns that answer whether an object is well, as servers call them. */
const STATES = ["status", "state", "phase", "ready"];

/** The column by whose values the list is filtered: its state. */
const facetOf = (columns: Column<PrintedRow>[]): string | undefined => STATES.slice(0, -1).find((id) => columns.some((column) => column.id === id));

/** Columns beyond the name that stay on a narrow window: the state, else the first. */
function hideOf(place: number, id: string, all: string[]): Pick<Column<PrintedRow>, "hide"> {
  const kept = STATES.find((state) => all.includes(state)) ?? all[1];
  if (place === 0 || id === kept) return {};
  return { hide: place > 3 && id !== "age" ? "wide" : "medium" };
}

function columnsOf(resource: Resource, definitions: PrintedColumn[]): Column<PrintedRow>[] {
  const shown = definitions.map((definition, index) => ({ definition, index })).filter(({ definition }) => (definition.priority ?? 0) === 0);
  const ids = shown.map(({ definition }) => definition.name.toLowerCase());
  return shown.map(({ definition, index }, place) => ({
      id: definition.name.toLowerCase(),
      header: definition.name,
      value: (row: PrintedRow) => (definition.format === "name" ? row.metadata.name : cellText(row.cells[index])),
      cell: (row: PrintedRow) => {
        const { name, namespace, creationTimestamp } = row.metadata;
        if (definition.format === "name") {
          return (
            <Link to={objectPath(resource, { namespace: namespace ?? "", name })}>
              <Name text={name} />
            </Link>
          );
        }
        if (definition.name === "Age") return <Time at={creationTimestamp} bare />;
        return cellText(row.cells[index]);
      },
      ...hideOf(place, definition.name.toLowerCase(), ids),
    }));
}

/** With the namespace beside the name, where there is a header for it; unless the kind prints a column of that name. */
function withNamespace(columns: Column<PrintedRow>[], header: string | undefined): Column<PrintedRow>[] {
  if (header === undefined || columns.some((column) => column.id === "namespace")) return columns;
  const [name, ...rest] = columns;
  const namespace: Column<PrintedRow> = { id: "namespace", header, value: (row) => row.metadata.namespace ?? "", hide: "medium" };
  return name === undefined ? columns : [name, namespace, ...rest];
}

function cellText(cell: unknown): string | number {
  return typeof cell === "number" ? cell : typeof cell === "string" ? cell : cell === null || cell === undefined ? "" : JSON.stringify(cell);
}
