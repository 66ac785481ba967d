import { useMemo } from "react";
import { useAllProfiles, type ProfileRow } from "../../api/people";
import { useSession, type Membership } from "../../../../api/session";
import { Card } from "../../../../parts/card/Card";
import { Page, Stack } from "../../../../parts/page/Page";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import type { Column } from "../../../../parts/table/columns";
import { DataTable } from "../../../../parts/table/DataTable";
import { useWords } from "../../../../words";
import { Contributors } from "./Contributors";
import { DangerZone, RecycleBin } from "./RecycleBin";
import styles from "./People.module.css";

/** The person's namespaces, with whom they share them, and for administrators everybody's. */
export function People() {
  const words = useWords().people;
  const { data: session } = useSession();
  const profiles = useAllProfiles(session?.isClusterAdmin ?? false);
  if (session === undefined) return <Skeleton />;
  const owned = session.memberships.filter((one) => one.role === "owner");
  return (
    <Page title={words.title} sentence={words.sentence}>
      <Stack>
        <Access user={session.user} memberships={session.memberships} />
        {owned.map((one) => (
          <Contributors key={one.namespace} namespace={one.namespace} aside={<DangerZone namespace={one.namespace} />} />
        ))}
        <RecycleBin />
        {profiles.data && <AllProfiles rows={profiles.data} />}
      </Stack>
    </Page>
  );
}

function Access({ user, memberships }: { user: string; memberships: Membership[] }) {
  const words = useWords();
  const columns = useMemo<Column<Membership>[]>(
    () => [
      { id: "namespace", header: words.common.namespace, value: (one) => one.namespace },
      { id: "role", header: words.people.role, value: (one) => words.shell.roles[one.role] },
    ],
    [words],
  );
  return (
    <Card title={words.people.yourAccess} aside={<span className={styles.quiet}>{user}</span>}>
      {memberships.length === 0 ? (
        <p className={styles.quiet}>{words.people.noNamespaceTitle}</p>
      ) : (
        <DataTable inside="access" label={words.people.yourAccess} rows={memberships} columns={columns} idOf={(one) => one.namespace} />
      )}
    </Card>
  );
}

function AllProfiles({ rows }: { rows: ProfileRow[] }) {
  const words = useWords();
  const columns = useMemo(
    () => [
      { id: "namespace", header: words.common.namespace, value: (row: ProfileRow) => row[0] },
      { id: "owner", header: words.people.owner, value: (row: ProfileRow) => row[1] },
      { id: "contributors", header: words.people.roles.edit, value: (row: ProfileRow) => row[2], hide: "medium" as const },
    ],
    [words],
  );
  return (
    <Card title={words.people.profiles}>
      <DataTable inside="profiles" label={words.people.profiles} rows={rows} columns={columns} idOf={(row) => row[0]} />
    </Card>
  );
}
