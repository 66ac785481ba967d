import type { CapacityRow, QuotaRow } from "../../kinds/generated";
import { CapacityBar, largest } from "../../parts/capacity/CapacityBar";
import { Card } from "../../parts/card/Card";
import { useWords } from "../../words";
import styles from "./Home.module.css";

/** Measured use and requests of what the machine or cluster has, and what the namespace may request. */
export function Capacity({ capacity, quotas }: { capacity: CapacityRow[]; quotas: QuotaRow[] }) {
  const words = useWords().home;
  const nameOf = (resource: string) => words.resources[resource] ?? resource;
  return (
    <Card title={words.capacity}>
      <div className={styles.bars}>
        {capacity.map((row) => (
          <Resource key={row.resource} row={row} name={nameOf(row.resource)} />
        ))}
        {quotas.map((row) => (
          <CapacityBar
            key={`${row.quota}/${row.resource}`}
            label={`${words.quota(row.quota)}: ${nameOf(row.resource)}`}
            total={row.hard.value}
            numbers={words.used(row.used.text, row.hard.text)}
            shares={[{ label: row.quota, value: row.used.value, text: row.used.text }]}
          />
        ))}
      </div>
    </Card>
  );
}

/** Two quantities that are often taken for each other: pods may use more than they request, or nothing of it. */
function Resource({ row, name }: { row: CapacityRow; name: string }) {
  const words = useWords().home;
  const { total, requested, inUse } = row;
  if (total.value === 0) return <CapacityBar label={name} total={0} numbers={words.none} shares={[]} />;
  const shares = row.users.map((user) => ({ label: user.name === "" ? words.otherUsers : user.name, value: user.amount.value, text: user.amount.text }));
  const all = shares.length > 0 || requested.value === 0 ? shares : [{ label: "", value: requested.value, text: requested.text }];
  return (
    <div className={styles.resource} role="group" aria-label={name}>
      <div className={styles.resourceName}>{name}</div>
      {inUse !== null && <CapacityBar quiet label={words.inUse} total={total.value} numbers={words.ofTotal(inUse.text, total.text)} shares={[{ label: "", value: inUse.value, text: inUse.text }]} />}
      <CapacityBar quiet label={words.requested} total={total.value} numbers={words.ofTotal(requested.text, total.text)} shares={largest(all, words.others)} />
    </div>
  );
}
