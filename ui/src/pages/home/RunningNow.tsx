import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunningObject } from "../../apps/app";
import { HOME_PARTS } from "../../apps/home";
import type { HomeView } from "../../kinds/generated";
import { Card } from "../../parts/card/Card";
import { ExternalButton } from "../../parts/button/ButtonLink";
import { Pill } from "../../parts/pill/Pill";
import { Name } from "../../parts/text/Name";
import { useWords } from "../../words";
import styles from "./Home.module.css";

/** Objects of all apps that run or are about to. */
export function RunningNow({ home }: { home: HomeView }) {
  const words = useWords();
  const objects = HOME_PARTS.flatMap((part) => part.runningIn?.(home, words) ?? []);
  return (
    <Card title={words.home.running} flush>
      {objects.length === 0 ? (
        <p className={styles.note}>{words.home.nothingRuns}</p>
      ) : (
        <div className={styles.list}>{objects.map((object) => row(object, words.common.connect))}</div>
      )}
    </Card>
  );
}

function row({ id, to, name, detail, state, connect }: RunningObject, connectLabel: string): ReactNode {
  return (
    <div key={id} className={styles.item}>
      <div className={styles.main}>
        <Link to={to} className={styles.name}>
          <Name text={name} />
        </Link>
        <div className={styles.quiet}>{detail}</div>
      </div>
      {connect !== undefined && <ExternalButton href={connect} label={connectLabel} look="secondary" small />}
      <Pill state={state} />
    </div>
  );
}
