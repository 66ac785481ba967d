import { Link } from "@tanstack/react-router";
import type { RecentFile, RecentJob } from "../../kinds/generated";
import { JOB_STATES, jobPath } from "../../apps/training/kinds/jobStates";
import { Card } from "../../parts/card/Card";
import { Icon } from "../../parts/Icon";
import { Pill } from "../../parts/pill/Pill";
import { Sparkline } from "../../parts/plot/Sparkline";
import { Name } from "../../parts/text/Name";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import styles from "./Home.module.css";

/** The newest jobs, with how their loss fell. */
export function RecentJobs({ jobs }: { jobs: RecentJob[] }) {
  const words = useWords().home;
  return (
    <Card title={words.recentJobs} flush>
      {jobs.length === 0 ? (
        <p className={styles.note}>{words.noJobs}</p>
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

/** Notebook files that were changed lately, on any running server. */
export function RecentFiles({ files }: { files: RecentFile[] }) {
  const words = useWords().home;
  return (
    <Card title={words.recentFiles} flush>
      {files.length === 0 ? (
        <p className={styles.note}>{words.noFiles}</p>
      ) : (
        <div className={styles.list}>
          {files.map((file) => (
            <a key={`${file.server}/${file.path}`} href={file.link} target="_blank" rel="noopener" className={styles.item}>
              <Icon name="file" />
              <div className={styles.main}>
                <Name text={file.name} />
                <div className={styles.quiet}>
                  {file.server} · <Time at={file.modified} />
                </div>
              </div>
            </a>
          ))}
        </div>
      )}
    </Card>
  );
}
