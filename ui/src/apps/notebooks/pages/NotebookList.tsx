import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useView, type Live } from "../../../api/hooks";
import { ALL, useNamespace } from "../../../api/namespace";
import { rightTo, useRights } from "../../../api/rights";
import { newNotebookCommand } from "../kinds/notebookCommands";
import type { NotebookRow, NotebooksView } from "../../../kinds/generated";
import { NOTEBOOKS, notebookPath, phaseWord, serverTypeOf } from "../kinds/notebooks";
import { quantityOf } from "../../../kinds/quantities";
import { Button } from "../../../parts/button/Button";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Segments } from "../../../parts/field/Segments";
import { Page, Stack } from "../../../parts/page/Page";
import type { Column, Sort } from "../../../parts/table/columns";
import { DataTable } from "../../../parts/table/DataTable";
import { Name } from "../../../parts/text/Name";
import { Time } from "../../../parts/text/Time";
import { useWords, type Words } from "../../../words";
import { Controls, hasIdleTime } from "./Controls";
import { NotebookCards, NotebookPill } from "./NotebookCards";
import styles from "./Notebooks.module.css";

const MOST_CARDS = 12;
const FACET = "state";
const BY_NAME: Sort = { column: "name", descending: false };
type Look = "cards" | "table";

/** The notebook servers of a namespace. */
export function NotebookList() {
  const { chosen, forLists, forNew } = useNamespace();
  const notebooks = useView<NotebooksView>("notebooks", chosen === "" ? undefined : { namespace: forLists });
  const lacks = useRights(forNew);
  return <NotebookListPage notebooks={notebooks} hasNamespaces={chosen === ALL} missingCreate={lacks(rightTo("create", NOTEBOOKS, forNew))} />;
}

interface NotebookListPageProps {
  notebooks: Live<NotebooksView>;
  hasNamespaces: boolean;
  missingCreate?: string | undefined;
}

export function NotebookListPage({ notebooks, hasNamespaces, missingCreate }: NotebookListPageProps) {
  const words = useWords();
  const navigate = useNavigate();
  const { forNew } = useNamespace();
  const create = (
    <Button label={words.notebooks.new} look="primary" icon="plus" missing={missingCreate} onPress={() => void navigate({ to: "/jupyter/new" })} />
  );
  return (
    <Page title={words.notebooks.title} full actions={notebooks.data?.rows.length === 0 ? undefined : create}>
      <Loaded live={notebooks}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState icon="notebook" sentence={words.notebooks.empty} action={create} command={newNotebookCommand(forNew)} />
          ) : (
            <Rows rows={rows} hasNamespaces={hasNamespaces} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Rows({ rows, hasNamespaces }: { rows: NotebookRow[]; hasNamespaces: boolean }) {
  const words = useWords();
  const search: { look?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const preset: Look = rows.length > MOST_CARDS ? "table" : "cards";
  const look: Look = search.look === "cards" || search.look === "table" ? search.look : preset;
  const columns = useMemo(() => notebookColumns(words, hasNamespaces), [words, hasNamespaces]);
  const choose = (chosen: Look) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, look: chosen === preset ? undefined : chosen }), replace: true } as never);
  return (
    <Stack>
      <div className={styles.toolbar}>
        <Segments
          label={words.notebooks.look}
          options={[
            { value: "cards", label: words.notebooks.cards },
            { value: "table", label: words.notebooks.table },
          ]}
          value={look}
          onChange={choose}
        />
      </div>
      {look === "cards" ? (
        <NotebookCards rows={rows} columns={columns} facet={FACET} initialSort={BY_NAME} />
      ) : (
        <DataTable
          label={words.notebooks.title}
          rows={rows}
          columns={columns}
          idOf={(row) => row.uid}
          facet={FACET}
          initialSort={BY_NAME}
          actions={(row) => (
            <span className={styles.cell}>
              <Controls row={row} small compact />
            </span>
          )}
        />
      )}
    </Stack>
  );
}

function notebookColumns(words: Words, hasNamespaces: boolean): Column<NotebookRow>[] {
  const own = words.notebooks;
  const all: (Column<NotebookRow> | undefined)[] = [
    {
      id: "name",
      header: words.common.name,
      value: (row) => row.name,
      cell: (row) => (
        <Link to={notebookPath(row)}>
          <Name text={row.name} />
        </Link>
      ),
    },
    {
      id: "state",
      header: words.common.state,
      value: (row) => own.phases[phaseWord(row)],
      cell: (row) => (
        <span title={(row.why && words.reasons.why(row.why)) ?? words.reasons.phase(row.status)}>
          <NotebookPill row={row} />
        </span>
      ),
    },
    hasNamespaces ? { id: "namespace", header: words.common.namespace, value: (row) => row.namespace } : undefined,
    { id: "type", header: words.common.type, value: (row) => own.types[serverTypeOf(row.serverType)], hide: "wide" },
    { id: "image", header: own.image, value: (row) => row.shortImage, hide: "medium" },
    { id: "cpu", header: own.cpu, value: (row) => quantityOf(row.cpu), cell: (row) => row.cpu || "–", align: "right", hide: "medium" },
    { id: "memory", header: own.memory, value: (row) => quantityOf(row.memory), cell: (row) => row.memory || "–", align: "right", hide: "medium" },
    { id: "gpus", header: own.gpus, value: (row) => row.gpus.count, cell: (row) => row.gpus.message || "–", align: "right", hide: "wide" },
    {
      id: "used",
      header: own.lastUsed,
      value: (row) => row.idleSeconds ?? undefined,
      cell: (row) => (hasIdleTime(row) ? <Time at={row.last_activity} /> : "–"),
      hide: "wide",
    },
    { id: "age", header: words.common.age, value: (row) => -Date.parse(row.age ?? ""), cell: (row) => <Time at={row.age} bare />, hide: "medium" },
  ];
  return all.filter((column) => column !== undefined);
}
