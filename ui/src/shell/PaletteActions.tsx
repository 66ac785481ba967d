import { Header, MenuItem, MenuSection } from "react-aria-components";
import { deleteTensorboard } from "../apps/tensorboards/api/tensorboards";
import { rightTo, useRights } from "../api/rights";
import type { JobRow, NotebookRow, TensorboardRow } from "../kinds/generated";
import { annotationsOf, isToStop, notebookCommands } from "../apps/notebooks/kinds/notebooks";
import { nameOf, type Run } from "../apps/pipelines/kinds/pipelines";
import { TENSORBOARDS } from "../apps/tensorboards/kinds/tensorboards";
import { Icon } from "../parts/Icon";
import type { Action } from "../parts/overlay/ActionMenu";
import { useConfirm } from "../parts/overlay/confirm";
import overlay from "../parts/overlay/overlay.module.css";
import { useUndoableDelete } from "../parts/overlay/useAction";
import { useJobActions } from "../apps/training/pages/useJobActions";
import { useNotebookActions } from "../apps/notebooks/pages/useNotebookActions";
import { useRunActions } from "../apps/pipelines/pages/runs/useRunActions";
import { useWords } from "../words";
import type { Actor } from "./paletteActors";
import styles from "./Palette.module.css";

interface SectionProps {
  /** Before an action is carried out. */
  onChosen: () => void;
}

/** What one can do with an object, with the rights and the questions of its page. */
export function ObjectActions({ actor, onChosen }: SectionProps & { actor: Actor }) {
  switch (actor.kind) {
    case "job":
      return <JobActions row={actor.row} onChosen={onChosen} />;
    case "notebook":
      return <NotebookActions row={actor.row} onChosen={onChosen} />;
    case "board":
      return <BoardActions row={actor.row} onChosen={onChosen} />;
    case "run":
      return <RunActions run={actor.row} namespace={actor.namespace} onChosen={onChosen} />;
  }
}

function JobActions({ row, onChosen }: SectionProps & { row: JobRow }) {
  return <Section id={row.uid} name={row.name} detail={`${row.kind} · ${row.namespace}`} actions={useJobActions(row)} onChosen={onChosen} />;
}

function RunActions({ run, namespace, onChosen }: SectionProps & { run: Run; namespace: string }) {
  return <Section id={run.run_id} name={nameOf(run)} detail="Run" actions={useRunActions(run, namespace)} onChosen={onChosen} />;
}

function NotebookActions({ row, onChosen }: SectionProps & { row: NotebookRow }) {
  const { notebooks: words, common } = useWords();
  const { start, stop, remove, missing } = useNotebookActions(row);
  const confirm = useConfirm();
  const askedToStop = async () => {
    const text = row.claims.length > 0 ? words.stopKeeps(row.claims.join(", ")) : words.stopLoses;
    if (await confirm({ title: words.stopTitle(row.name), text, action: common.stop, command: notebookCommands(row).stop })) stop();
  };
  const actions: Action[] = [
    isToStop(annotationsOf(row))
      ? { id: "start", label: common.start, icon: "play", missing: missing.update, onAction: start }
      : { id: "stop", label: common.stop, icon: "stop", missing: missing.update, onAction: () => void askedToStop() },
    { id: "delete", label: common.delete, icon: "trash", danger: true, missing: missing.delete, onAction: () => remove() },
  ];
  return <Section id={row.uid} name={row.name} detail={`Notebook · ${row.namespace}`} actions={actions} onChosen={onChosen} />;
}

function BoardActions({ row, onChosen }: SectionProps & { row: TensorboardRow }) {
  const words = useWords().common;
  const remove = useUndoableDelete();
  const missing = useRights(row.namespace)(rightTo("delete", TENSORBOARDS, row.namespace, row.name));
  const onAction = () => remove({ name: row.name, id: row.uid, remove: () => deleteTensorboard(row), about: { ...row, kind: TENSORBOARDS.kind } });
  return <Section id={row.uid} name={row.name} detail={`Tensorboard · ${row.namespace}`} actions={[{ id: "delete", label: words.delete, icon: "trash", danger: true, missing, onAction }]} onChosen={onChosen} />;
}

function Section({ id, name, detail, actions, onChosen }: SectionProps & { id: string; name: string; detail: string; actions: Action[] }) {
  const words = useWords();
  const why = (action: Action) => (action.missing === undefined ? action.disabledReason : words.common.forbidden(action.missing));
  return (
    <MenuSection>
      <Header className={styles.header ?? ""}>{words.shell.actionsOn(name)}</Header>
      {actions.map((action) => (
        <MenuItem
          key={action.id}
          id={`${action.id} ${id}`}
          textValue={`${action.label} ${name} ${detail}`}
          isDisabled={why(action) !== undefined}
          className={[overlay.item, action.danger && overlay.danger].filter(Boolean).join(" ")}
          onAction={() => {
            onChosen();
            action.onAction();
          }}
        >
          <Icon name={action.icon} />
          <span className={overlay.itemText}>
            {action.label} {name}
          </span>
          <span className={overlay.itemWhy}>{why(action) ?? detail}</span>
        </MenuItem>
      ))}
    </MenuSection>
  );
}
