import type { HomeView } from "../../../kinds/generated";
import styles from "../../../pages/home/Home.module.css";
import { Card } from "../../../parts/card/Card";
import { Icon } from "../../../parts/Icon";
import { Name } from "../../../parts/text/Name";
import { Time } from "../../../parts/text/Time";
import { useWords } from "../../../words";

/** Notebook files that were changed lately, on any running server. */
export function RecentFiles({ home: { recentFiles: files } }: { home: HomeView }) {
  const words = useWords().notebooks.home;
  return (
    <Card title={words.recent} flush>
      {files.length === 0 ? (
        <p className={styles.note}>{words.none}</p>
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
