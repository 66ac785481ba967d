import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

export interface Scalar {
  name: string;
  text: string;
  /** The whole number, shown on demand. */
  exact: string;
}

/** Names and numbers. */
export function ScalarTable({ scalars }: { scalars: Scalar[] }) {
  const words = useWords().pipelines.metrics;
  if (scalars.length === 0) return null;
  return (
    <div className={styles.tableScroller}>
      <table className={styles.values} aria-label={words.scalars}>
        <thead>
          <tr>
            <th scope="col">{words.metric}</th>
            <th scope="col">{words.value}</th>
          </tr>
        </thead>
        <tbody>
          {scalars.map(({ name, text, exact }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td title={exact}>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
