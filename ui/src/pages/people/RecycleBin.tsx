import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNamespace } from "../../api/namespace";
import { deleteProfile, restoreProfile, useRecycleBin } from "../../api/people";
import { SESSION_KEY, sessionWhere } from "../../api/session";
import { Button } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { ConfirmName } from "../../parts/overlay/ConfirmName";
import { useAction } from "../../parts/overlay/useAction";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import styles from "./People.module.css";

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
  const words = useWords().people;
  const { data } = useRecycleBin();
  const { run } = useAction();
  const refresh = useRefresh();
  if (data === undefined || data.length === 0) return null;
  return (
    <Card title={words.recycleBin}>
      <div className={styles.rows}>
        {data.map((profile) => (
          <div key={profile.namespace} className={styles.row}>
            <span className={styles.who}>{profile.namespace}</span>
            <span className={styles.quiet}>
              {words.deletedAt} <Time at={profile.deletedAt} />
            </span>
            <Button
              label={words.restore}
              icon="restart"
              onPress={() => void run(() => restoreProfile(profile.namespace), words.restored(profile.namespace)).then(() => refresh(profile.namespace, true))}
            />
          </div>
        ))}
      </div>
    </Card>
  );
}
