import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useNamespace } from "../../../../api/namespace";
import { deleteProfile, restoreProfile, useRecycleBin, type DeletedProfile } from "../../api/people";
import { SESSION_KEY, sessionWhere } from "../../../../api/session";
import { Button } from "../../../../parts/button/Button";
import { Card } from "../../../../parts/card/Card";
import { ConfirmName } from "../../../../parts/overlay/ConfirmName";
import { useAction } from "../../../../parts/overlay/useAction";
import type { Column } from "../../../../parts/table/columns";
import { DataTable } from "../../../../parts/table/DataTable";
import { Time } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";

/** Asks for what has changed, once the controller has made or removed the person's rights in the namespace. */
function useRefresh(): (namespace: string, isMember: boolean) => Promise<unknown> {
  const queries = useQueryClient();
  return async (namespace, isMember) => {
    await queries.invalidateQueries({ queryKey: ["recycle-bin"] });
    await sessionWhere((session) => session.memberships.some((one) => one.namespace === namespace) === isMember);
    await queries.invalidateQueries({ queryKey: SESSION_KEY });
  };
}

/** Deletes a namespace after its name was typed. */
export function DangerZone({ namespace }: { namespace: string }) {
  const words = useWords();
  const [asking, setAsking] = useState(false);
  const { run } = useAction();
  const refresh = useRefresh();
  const { chosen, choose } = useNamespace();
  const remove = async () => {
    const isDeleted = await run(() => deleteProfile(namespace), words.common.deleted(namespace));
    await refresh(namespace, false);
    if (isDeleted && chosen === namespace) choose("", { replace: true });
  };
  return (
    <>
      <Button icon="trash" iconOnly look="quiet" label={words.people.deleteProfile} onPress={() => setAsking(true)} />
      <ConfirmName
        title={words.people.deleteProfile}
        name={namespace}
        consequence={words.people.deleteConsequence}
        isOpen={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => void remove()}
      />
    </>
  );
}

/** Namespaces that were deleted and can be restored. */
export function RecycleBin() {
  const { people: words, common } = useWords();
  const { data } = useRecycleBin();
  const { run } = useAction();
  const refresh = useRefresh();
  const columns = useMemo<Column<DeletedProfile>[]>(
    () => [
      { id: "namespace", header: common.namespace, value: (profile) => profile.namespace },
      { id: "deleted", header: words.deletedAt, value: (profile) => profile.deletedAt, cell: (profile) => <Time at={profile.deletedAt} /> },
    ],
    [common, words],
  );
  if (data === undefined || data.length === 0) return null;
  const restore = ({ namespace }: DeletedProfile) =>
    void run(() => restoreProfile(namespace), words.restored(namespace)).then(() => refresh(namespace, true));
  return (
    <Card title={words.recycleBin}>
      <DataTable
        inside="deleted"
        label={words.recycleBin}
        rows={data}
        columns={columns}
        idOf={(profile) => profile.namespace}
        actions={(profile) => <Button small label={words.restore} icon="restart" onPress={() => restore(profile)} />}
      />
    </Card>
  );
}
