import { Link } from "@tanstack/react-router";
import type { HomeView } from "../../../kinds/generated";
import { JOB_STATES, jobPath } from "../kinds/jobStates";
import { Card } from "../../../parts/card/Card";
import { Pill } from "../../../parts/pill/Pill";
import { Sparkline } from "../../../parts/plot/Sparkline";
import { Name } from "../../../parts/text/Name";
import { Time } from "../../../parts/text/Time";
import { useWords } from "../../../words";
import styles from "../../../pages/home/Home.module.css";

/** The newest jobs, with how their loss fell. */
export function RecentJobs({ home: { recentJobs: jobs } }: { home: HomeView }) {
  const words = useWords().jobs.home;
  return (
    <Card title={words.recent} flush>
      {jobs.length === 0 ? (
        <p className={styles.note}>{words.none}</p>
      ) : (
        <div className={styles.list}>
          {jobs.map(({ row, metric, values }) => (
            <Link key={row.uid} to={jobPath(row)} className={styles.item}>
              <div className={styles.main}>
                <span className={styles.name}>
                  <Name text={row.name} />
                </span>
                <div className={styles.quiet}>
                  {row.kind} · <Time at={row.created} />
                </div>
              </div>
              {values.length > 1 && <Sparkline values={values} label={metric} />}
              <Pill state={JOB_STATES[row.state]} />
            </Link>
          ))}
        </div>
      )}
    </Card>
  );
}
