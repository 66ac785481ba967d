import type { CapacityRow, QuotaRow } from "../../kinds/generated";
import { CapacityBar, largest } from "../../parts/capacity/CapacityBar";
import { Card } from "../../parts/card/Card";
import { useWords } from "../../words";
import styles from "./Home.module.css";

/** What the machine or cluster has, who uses it, and what the namespace may use. */
export function Capacity({ capacity, quotas }: { capacity: CapacityRow[]; quotas: QuotaRow[] }) {
  const words = useWords().home;
  const nameOf = (resource: string) => words.resources[resource] ?? resource;
  return (
    <Card title={words.capacity}>
      <div className={styles.bars}>
        {capacity.map((row) => (
          <CapacityBar
            key={row.resource}
            label={nameOf(row.resource)}
            total={row.total.value}
            numbers={row.total.value === 0 ? words.none : words.free(row.free.text, row.total.text)}
            shares={largest(
              row.users.map((user) => ({
                label: user.name === "" ? words.otherUsers : user.name,
                value: user.amount.value,
                text: user.amount.text,
              })),
              words.others,
            )}
          />
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
