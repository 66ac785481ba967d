import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { NotebookRow } from "../../../kinds/generated";
import { annotationsOf, isToStop, notebookCommands, notebookPath } from "../kinds/notebooks";
import { Button } from "../../../parts/button/Button";
import { ExternalButton } from "../../../parts/button/ButtonLink";
import { CommandHint } from "../../../parts/command/CommandHint";
import { ActionMenu, type Action } from "../../../parts/overlay/ActionMenu";
import { duration } from "../../../parts/text/times";
import { useSpeech } from "../../../words";
import { StopDialog } from "./StopDialog";
import { useNotebookActions } from "./useNotebookActions";

interface ControlsProps {
  row: NotebookRow;
  small?: boolean;
  /** In a table: stop and start as icons. */
  compact?: boolean;
  /** On the page of the notebook: what else one can do, and where to go when it is deleted. */
  more?: Action[];
  onDeleted?: () => void;
}

/** Connect, stop or start, and the rest behind a menu. Connect is the only filled button. */
export function Controls({ row, small = false, compact = false, more, onDeleted }: ControlsProps) {
  const { words, language } = useSpeech();
  const navigate = useNavigate();
  const [asksToStop, setAsksToStop] = useState(false);
  const { busy, start, stop, extend, remove, missing } = useNotebookActions(row);
  const goesDown = isToStop(annotationsOf(row));
  const isReady = row.status.phase === "ready" && !goesDown;
  const show = (tab: string) => void navigate({ to: notebookPath(row), search: { tab } });
  const actions: Action[] = [
    ...(more ?? [
      { id: "logs", label: words.notebooks.checkLogs, icon: "file", onAction: () => show("logs") },
      { id: "events", label: words.notebooks.checkEvents, icon: "activity", onAction: () => show("events") },
    ]),
    ...(compact && row.stopsInSeconds !== null
      ? [{ id: "extend", label: `${words.notebooks.extend}: ${words.notebooks.stopsIn(duration(row.stopsInSeconds, language))}`, icon: "clock" as const, missing: missing.update, onAction: extend }]
      : []),
    { id: "delete", label: words.common.delete, icon: "trash", danger: true, missing: missing.delete, onAction: () => remove(onDeleted) },
  ];
  const commands = notebookCommands(row);
  return (
    <>
      {isReady && missing.update === undefined ? (
        <ExternalButton href={row.link} label={words.common.connect} small={small} />
      ) : (
        <Button label={words.common.connect} icon="external" small={small} missing={missing.update} disabledReason={words.notebooks.notReady} />
      )}
      {goesDown ? (
        <Button label={words.common.start} icon="play" small={small} iconOnly={compact} busy={busy} missing={missing.update} onPress={start} />
      ) : (
        <Button label={words.common.stop} icon="stop" look="quiet" small={small} iconOnly={compact} busy={busy} missing={missing.update} onPress={() => setAsksToStop(true)} />
      )}
      <span>
        {!small && <CommandHint lines={[goesDown ? commands.start : commands.stop, commands.ssh, commands.delete]} />}
        <ActionMenu actions={actions} label={`${words.common.more}: ${row.name}`} small={small} />
      </span>
      <StopDialog notebook={row} isOpen={asksToStop} onClose={() => setAsksToStop(false)} onStop={stop} />
    </>
  );
}

/** Only of a server that runs: one that does not start is not idle. */
export const hasIdleTime = (row: NotebookRow): boolean => row.status.phase === "ready" && row.idleSeconds !== null;

/** For how long nobody has used it, when it is stopped for that, and a way to have more time. */
export function IdleNote({ row }: { row: NotebookRow }) {
  const { words, language } = useSpeech();
  const { busy, extend, missing } = useNotebookActions(row);
  if (row.idleSeconds === null) return null;
  const stops = row.stopsInSeconds === null ? "" : ` · ${words.notebooks.stopsIn(duration(row.stopsInSeconds, language))}`;
  return (
    <>
      {words.notebooks.idle(duration(row.idleSeconds, language))}
      {stops}
      {row.stopsInSeconds !== null && (
        <Button small look="quiet" label={words.notebooks.extend} busy={busy} missing={missing.update} onPress={extend} />
      )}
    </>
  );
}
