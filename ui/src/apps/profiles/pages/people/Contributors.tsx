import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { addContributor, looksLikeEmail, removeContributor, useContributors, type Contributor, type MemberRole } from "../../api/people";
import { shareCommand, unshareCommand } from "../../kinds/profileCommands";
import { Button } from "../../../../parts/button/Button";
import { Card } from "../../../../parts/card/Card";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { Failure } from "../../../../parts/feedback/Loaded";
import { Choice } from "../../../../parts/field/Choice";
import { TextInput } from "../../../../parts/field/TextInput";
import { useAction } from "../../../../parts/overlay/useAction";
import type { Column } from "../../../../parts/table/columns";
import { DataTable } from "../../../../parts/table/DataTable";
import { messageOf } from "../../../../api/errors";
import { useWords } from "../../../../words";
import styles from "./People.module.css";

const ROLES: MemberRole[] = ["view", "edit", "admin"];

/** With whom a namespace is shared; add, change the role, remove. */
export function Contributors({ namespace, aside }: { namespace: string; aside?: ReactNode }) {
  const words = useWords().people;
  const { data, error } = useContributors(namespace);
  const queries = useQueryClient();
  const { run, busy } = useAction();
  const change = (action: () => Promise<unknown>, done: string) =>
    run(action, done).then(() => queries.invalidateQueries({ queryKey: ["contributors", namespace] }));
  return (
    <Card
      title={words.contributors(namespace)}
      aside={
        <span>
          <CommandHint lines={[shareCommand(namespace, "bob@example.com", "edit"), ...(data ?? []).map((one) => unshareCommand(namespace, one.user, one.role))]} />
          {aside}
        </span>
      }
    >
      {error !== null && <Failure message={messageOf(error)} />}
      {data?.length === 0 && <p className={styles.quiet}>{words.nobody}</p>}
      {data !== undefined && data.length > 0 && (
        <ContributorTable
          namespace={namespace}
          rows={data}
          onRole={(one, role) => void change(() => addContributor(namespace, one.user, role), words.added(one.user, namespace))}
          onRemove={(one) => void change(() => removeContributor(namespace, one.user, one.role), words.removed(one.user))}
        />
      )}
      <AddForm
        busy={busy}
        onAdd={(who, role) => change(() => addContributor(namespace, who, role), words.added(who, namespace))}
      />
    </Card>
  );
}

function useRoleOptions() {
  const words = useWords().people;
  return ROLES.map((role) => ({ value: role, label: words.roles[role] }));
}

interface ContributorTableProps {
  namespace: string;
  rows: Contributor[];
  onRole: (contributor: Contributor, role: MemberRole) => void;
  onRemove: (contributor: Contributor) => void;
}

function ContributorTable({ namespace, rows, onRole, onRemove }: ContributorTableProps) {
  const { people: words, cluster } = useWords();
  const columns: Column<Contributor>[] = [
    { id: "user", header: cluster.user, value: (one) => one.user, cell: (one) => <span className={styles.who}>{one.user}</span>, wraps: true },
    { id: "role", header: words.role, value: (one) => words.roles[one.role], cell: (one) => <Role contributor={one} onRole={(role) => onRole(one, role)} /> },
  ];
  return (
    <DataTable
      inside={`contributors-${namespace}`}
      label={words.contributors(namespace)}
      rows={rows}
      columns={columns}
      idOf={(one) => one.user}
      actions={(one) => <Button icon="close" iconOnly look="quiet" label={words.remove(one.user)} onPress={() => onRemove(one)} />}
    />
  );
}

function Role({ contributor, onRole }: { contributor: Contributor; onRole: (role: MemberRole) => void }) {
  const words = useWords().people;
  return (
    <div className={styles.role}>
      <Choice label={`${words.role}: ${contributor.user}`} hideLabel options={useRoleOptions()} value={contributor.role} onChange={(role) => onRole(role as MemberRole)} />
    </div>
  );
}

function AddForm({ busy, onAdd }: { busy: boolean; onAdd: (who: string, role: MemberRole) => Promise<unknown> }) {
  const words = useWords().people;
  const [who, setWho] = useState("");
  const [role, setRole] = useState<MemberRole>("edit");
  const [tried, setTried] = useState(false);
  const options = useRoleOptions();
  const isGood = looksLikeEmail(who.trim());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (!isGood) return;
        void onAdd(who.trim(), role).then(() => {
          setWho("");
          setTried(false);
        });
      }}
    >
      <div className={styles.form}>
        <TextInput label={words.addLabel} type="email" value={who} onChange={setWho} error={tried && !isGood ? words.badEmail : undefined} />
        <Choice label={words.role} options={options} value={role} onChange={(value) => setRole(value as MemberRole)} />
        <Button label={words.add} look="primary" type="submit" busy={busy} />
      </div>
      <p className={styles.notice}>{role === "view" ? words.roleHints.view : `${words.roleHints[role]} ${words.editorNotice}`}</p>
    </form>
  );
}
