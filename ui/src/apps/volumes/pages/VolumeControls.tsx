import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteVolume } from "../api/volumes";
import { rightTo, useRights } from "../../../api/rights";
import { doubled, resizeCommand, snapshotCommand, snapshotName } from "../kinds/volumeCommands";
import type { VolumeRow } from "../../../kinds/generated";
import { CLAIMS, SNAPSHOTS, VIEWERS } from "../kinds/volumes";
import { Button } from "../../../parts/button/Button";
import { ExternalButton } from "../../../parts/button/ButtonLink";
import { CommandHint } from "../../../parts/command/CommandHint";
import { ActionMenu, type Action } from "../../../parts/overlay/ActionMenu";
import { ConfirmName } from "../../../parts/overlay/ConfirmName";
import { useAction } from "../../../parts/overlay/useAction";
import { useWords } from "../../../words";
import { ResizeDialog, SnapshotDialog } from "./VolumeDialogs";
import { useFileBrowser } from "./useFileBrowser";

interface VolumeControlsProps {
  row: VolumeRow;
  small?: boolean;
  onDeleted?: () => void;
}

const commandsOf = (row: VolumeRow): string[] => [
  `kubectl get pvc -n ${row.namespace} ${row.name} -o yaml`,
  resizeCommand(row, doubled(row.capacity)),
  snapshotCommand(row, snapshotName(row, new Date())),
  `kubectl delete pvc -n ${row.namespace} ${row.name}`,
];

/** Browse its files, and resize, copy, snapshot or delete it. */
export function VolumeControls({ row, small = false, onDeleted }: VolumeControlsProps) {
  const words = useWords();
  const own = words.volumes;
  const navigate = useNavigate();
  const { run } = useAction({ ...row, kind: CLAIMS.kind });
  const [dialog, setDialog] = useState<"resize" | "snapshot" | "delete">();
  const lacks = useRights(row.namespace);
  const browser = useFileBrowser(row);
  const users = row.consumers;
  const isUsed = users.length > 0;
  const close = () => setDialog(undefined);
  const remove = () =>
    void run(() => deleteVolume(row), words.common.deleted(row.name)).then((done) => {
      if (done) onDeleted?.();
    });
  const actions: Action[] = [
    { id: "resize", label: own.resize, icon: "sort", missing: lacks(rightTo("patch", CLAIMS, row.namespace)), onAction: () => setDialog("resize") },
    { id: "snapshot", label: own.snapshot, icon: "clock", missing: lacks(rightTo("create", SNAPSHOTS, row.namespace)), onAction: () => setDialog("snapshot") },
    {
      id: "duplicate",
      label: own.duplicate,
      icon: "clone",
      missing: lacks(rightTo("create", CLAIMS, row.namespace)),
      onAction: () => void navigate({ to: "/volumes/new", search: { type: "clone", source: row.name, ns: row.namespace } }),
    },
    {
      id: "delete",
      label: words.common.delete,
      icon: "trash",
      danger: true,
      missing: lacks(rightTo("delete", CLAIMS, row.namespace)),
      disabledReason: isUsed ? own.inUse(users.map((ref) => `${ref.kind} ${ref.name}`).join(", ")) : undefined,
      onAction: () => setDialog("delete"),
    },
  ];
  return (
    <>
      {browser.status === "open" && row.viewer.url !== null ? (
        <>
          {small ? (
            <Button iconOnly small icon="external" label={`${own.openFiles}: ${row.name}`} onPress={browser.show} />
          ) : (
            <ExternalButton href={row.viewer.url} label={own.openFiles} icon="folder" />
          )}
          <Button iconOnly look="quiet" icon="close" label={own.closeFiles} small={small} busy={browser.busy} missing={lacks(rightTo("delete", VIEWERS, row.namespace))} onPress={browser.close} />
        </>
      ) : (
        <Button
          label={`${browser.status === "opening" ? own.opening : own.browse}${small ? `: ${row.name}` : ""}`}
          icon="folder"
          look={small ? "quiet" : "primary"}
          small={small}
          iconOnly={small}
          busy={browser.busy || browser.status === "opening"}
          missing={lacks(rightTo("create", VIEWERS, row.namespace))}
          onPress={browser.open}
        />
      )}
      {!small && <CommandHint lines={commandsOf(row)} />}
      <ActionMenu actions={actions} label={`${words.common.more}: ${row.name}`} small={small} />
      {dialog === "resize" && <ResizeDialog row={row} onClose={close} />}
      {dialog === "snapshot" && <SnapshotDialog row={row} onClose={close} />}
      <ConfirmName title={own.deleteTitle(row.name)} name={row.name} consequence={own.deleteText} isOpen={dialog === "delete"} onClose={close} onConfirm={remove} />
    </>
  );
}
