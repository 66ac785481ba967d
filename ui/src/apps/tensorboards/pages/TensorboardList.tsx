import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useView, type Live } from "../../../api/hooks";
import { ALL, useNamespace } from "../../../api/namespace";
import { rightTo, useRights } from "../../../api/rights";
import { newBoardCommand } from "../kinds/tensorboardCommands";
import type { TensorboardRow, TensorboardsView } from "../../../kinds/generated";
import { TENSORBOARDS, boardPath, boardWord } from "../kinds/tensorboards";
import { Button } from "../../../parts/button/Button";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Page } from "../../../parts/page/Page";
import type { Column } from "../../../parts/table/columns";
import { DataTable } from "../../../parts/table/DataTable";
import { Name } from "../../../parts/text/Name";
import { Time } from "../../../parts/text/Time";
import { useWords, type Words } from "../../../words";
import { BoardControls, BoardPill } from "./BoardControls";

/** The TensorBoards of a namespace. */
export function TensorboardList() {
  const { chosen, forLists, forNew } = useNamespace();
  const boards = useView<TensorboardsView>("tensorboards", chosen === "" ? undefined : { namespace: forLists });
  const lacks = useRights(forNew);
  return <TensorboardListPage boards={boards} hasNamespaces={chosen === ALL} missingCreate={lacks(rightTo("create", TENSORBOARDS, forNew))} />;
}

interface TensorboardListPageProps {
  boards: Live<TensorboardsView>;
  hasNamespaces: boolean;
  missingCreate?: string | undefined;
}

export function TensorboardListPage({ boards, hasNamespaces, missingCreate }: TensorboardListPageProps) {
  const words = useWords();
  const navigate = useNavigate();
  const { forNew } = useNamespace();
  const columns = useMemo(() => boardColumns(words, hasNamespaces), [words, hasNamespaces]);
  const create = (
    <Button label={words.tensorboards.new} look="primary" icon="plus" missing={missingCreate} onPress={() => void navigate({ to: "/tensorboards/new" })} />
  );
  return (
    <Page title={words.tensorboards.title} full actions={boards.data?.rows.length === 0 ? undefined : create}>
      <Loaded live={boards}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState icon="board" sentence={words.tensorboards.empty} action={create} command={newBoardCommand(forNew)} />
          ) : (
            <DataTable
              label={words.tensorboards.title}
              rows={rows}
              columns={columns}
              idOf={(row) => row.uid}
              facet="state"
              initialSort={{ column: "name", descending: false }}
              actions={(row) => <BoardControls row={row} small />}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function boardColumns(words: Words, hasNamespaces: boolean): Column<TensorboardRow>[] {
  const all: (Column<TensorboardRow> | undefined)[] = [
    {
      id: "name",
      header: words.common.name,
      value: (row) => row.name,
      cell: (row) => (
        <Link to={boardPath(row)}>
          <Name text={row.name} />
        </Link>
      ),
    },
    { id: "state", header: words.common.state, value: (row) => words.tensorboards.words[boardWord(row)], cell: (row) => <BoardPill row={row} /> },
    hasNamespaces ? { id: "namespace", header: words.common.namespace, value: (row) => row.namespace } : undefined,
    { id: "logs", header: words.tensorboards.logs, value: (row) => row.logspath, hide: "medium" },
    { id: "why", header: words.common.reason, value: (row) => (row.status.phase === "ready" && row.status.state === "" ? "" : ((row.why && words.reasons.why(row.why)) ?? words.reasons.phase(row.status))), hide: "wide" },
    { id: "age", header: words.common.age, value: (row) => -Date.parse(row.age ?? ""), cell: (row) => <Time at={row.age} bare />, hide: "medium" },
  ];
  return all.filter((column) => column !== undefined);
}
