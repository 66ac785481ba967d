import { Link } from "@tanstack/react-router";
import type { AttentionItem } from "../../kinds/generated";
import { Card } from "../../parts/card/Card";
import { Icon } from "../../parts/Icon";
import { Name } from "../../parts/text/Name";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import styles from "./Home.module.css";

/** Objects that are not well, each with its reason and what helps. */
export function Attention({ items }: { items: AttentionItem[] }) {
  const { home: words, reasons } = useWords();
  return (
    <Card title={words.attention} flush>
      <div className={styles.list}>
        {items.map((item) => (
          <Link key={`${item.object.kind}/${item.object.namespace}/${item.object.name}`} to={item.link} className={styles.item}>
            <span className={styles.alert}>
              <Icon name="warning" />
            </span>
            <div className={styles.main}>
              <div className={styles.line}>
                <span className={styles.name}>
                  <Name text={item.object.name} />
                </span>
                <span className={styles.quiet}>
                  {item.object.kind} · <Time at={item.last} />
                  {item.count > 1 && ` · ${words.times(item.count)}`}
                </span>
              </div>
              <p className={styles.sentence}>{reasons.why(item.why)}</p>
              {item.why.fixes[0] && <p className={styles.quiet}>{reasons.fix(item.why.fixes[0])}</p>}
            </div>
          </Link>
        ))}
      </div>
    </Card>
  );
}
