import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import { getPrinted, objectPath, printedKey, useResource, type Printed } from "../../api/discovery";
import { messageOf } from "../../api/errors";
import { useObjects } from "../../api/hooks";
import type { KubeObject, ObjectMeta, Resource } from "../../api/k8s";
import { useNamespace } from "../../api/namespace";
import { useMissingToCreate } from "../../api/rights";
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
import { useSlowly } from "./useSlowly";

interface Row {
  metadata: ObjectMeta;
  /** What the server prints of it; none for an object that it was not asked about yet. */
  cells: unknown[] | undefined;
}

const MANY = 500;
const PAUSE_MS = 300;
const PAUSE_OF_MANY_MS = 5_000;

/** The objects of any resource, with the columns of `kubectl get`. */
export function ObjectList() {
  const params: { group?: string; version?: string; resource?: string } = useParams({ strict: false });
  const { data, error } = useResource(params.group ?? "", params.version ?? "", params.resource ?? "");
  if (error !== null) return <Failure message={messageOf(error)} />;
  if (data === undefined) return <Skeleton />;
  return data === null ? <NotFound /> : <Objects resource={data} />;
}

/** What the server prints, asked again after the list has changed; of a long list not for every change. */
function usePrinted(resource: Resource, namespace: string, objects: KubeObject[] | undefined) {
  const queries = useQueryClient();
  const queryKey = ["printed", resource, namespace];
  const seen = useSlowly(objects, (objects?.length ?? 0) > MANY ? PAUSE_OF_MANY_MS : PAUSE_MS);
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => getPrinted(resource, namespace, queries.getQueryData<Printed>(queryKey)),
    enabled: objects !== undefined,
    structuralSharing: false,
  });
  useEffect(() => {
    if (seen !== undefined) void refetch();
  }, [seen, refetch]);
  return { printed: data, error };
}

function Objects({ resource }: { resource: Resource }) {
  const words = useWords();
  const { chosen, forLists } = useNamespace();
  const namespace = resource.namespaced ? forLists : "";
  const live = useObjects(resource, { namespace });
  const { printed, error } = usePrinted(resource, namespace, live.data);
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
      {error !== null && live.phase === "live" && <Failure message={messageOf(error)} />}
      <Loaded live={live}>
        {(objects) => (printed === undefined ? error === null && <Skeleton /> : <ObjectTable resource={resource} printed={printed} objects={objects} />)}
      </Loaded>
    </Page>
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
  printed: Printed;
  objects: Pick<KubeObject, "metadata">[];
}

interface Known {
  objects: ObjectTableProps["objects"];
  cells: Printed["cells"];
  rows: Row[];
}

/** The rows of the objects. A row that says the same as before is the same row, so that it need not be drawn again. */
function useRows({ cells }: Printed, objects: ObjectTableProps["objects"]): Row[] {
  const known = useRef<Known>({ objects: [], cells: new Map(), rows: [] });
  return useMemo(() => {
    const before = known.current;
    const rows = objects.map((object, index) => {
      const row = before.rows[index];
      // Objects keep their places, so that of a long list most are found without comparing names.
      if (row !== undefined && before.objects[index] === object && before.cells === cells) return row;
      const ofRow = cells.get(printedKey(object.metadata));
      return row?.metadata === object.metadata && row.cells === ofRow ? row : { metadata: object.metadata, cells: ofRow };
    });
    known.current = { objects, cells, rows };
    return rows;
  }, [objects, cells]);
}

export function ObjectTable({ resource, printed, objects }: ObjectTableProps) {
  const words = useWords();
  // The columns of a resource are the same in every answer; only another object each time.
  const names = JSON.stringify(printed.columns);
  const columns = useMemo(() => columnsOf(resource, JSON.parse(names) as Printed["columns"]), [resource, names]);
  const rows = useRows(printed, objects);
  if (objects.length === 0) return <EmptyState icon="objects" sentence={words.cluster.noObjects(resource.resource)} />;
  return <DataTable label={resource.kind} rows={rows} columns={columns} idOf={idOf} facet={facetOf(columns)} />;
}

const idOf = (row: Row): string => row.metadata.uid;

/** Columns that answer whether an object is well, as servers call them. */
const STATES = ["status", "state", "phase", "ready"];

/** The column by whose values the list is filtered: its state. */
const facetOf = (columns: Column<Row>[]): string | undefined => STATES.slice(0, -1).find((id) => columns.some((column) => column.id === id));

/** Columns beyond the name that stay on a narrow window: the state, else the first. */
function hideOf(place: number, id: string, all: string[]): Pick<Column<Row>, "hide"> {
  const kept = STATES.find((state) => all.includes(state)) ?? all[1];
  if (place === 0 || id === kept) return {};
  return { hide: place > 3 && id !== "age" ? "wide" : "medium" };
}

function columnsOf(resource: Resource, definitions: Printed["columns"]): Column<Row>[] {
  const shown = definitions.map((definition, index) => ({ definition, index })).filter(({ definition }) => (definition.priority ?? 0) === 0);
  const ids = shown.map(({ definition }) => definition.name.toLowerCase());
  return shown.map(({ definition, index }, place) => ({
      id: definition.name.toLowerCase(),
      header: definition.name,
      value: (row: Row) => (definition.format === "name" ? row.metadata.name : cellText(row.cells?.[index])),
      cell: (row: Row) => {
        const { name, namespace, creationTimestamp } = row.metadata;
        if (definition.format === "name") {
          return (
            <Link to={objectPath(resource, { namespace: namespace ?? "", name })}>
              <Name text={name} />
            </Link>
          );
        }
        if (definition.name === "Age") return <Time at={creationTimestamp} bare />;
        return cellText(row.cells?.[index]);
      },
      ...hideOf(place, definition.name.toLowerCase(), ids),
    }));
}

function cellText(cell: unknown): string | number {
  return typeof cell === "number" ? cell : typeof cell === "string" ? cell : cell === null || cell === undefined ? "" : JSON.stringify(cell);
}
