import { useMemo } from "react";
import { messageOf } from "../../api/errors";
import { useClusterUse, type ClusterUse } from "../../api/usage";
import type { MetricPoint } from "../../kinds/generated";
import { isDrawable, percentText, seriesOf } from "../../kinds/usage";
import { Card } from "../../parts/card/Card";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { Plot } from "../../parts/plot/Plot";
import { coresText } from "../../parts/plot/series";
import { Stack } from "../../parts/page/Page";
import { useWords } from "../../words";
import styles from "./Home.module.css";

const HEIGHT = 130;

/** CPU of the cluster and of the pods; nothing where nobody measures it. The first line needs two measurements. */
export function Usage() {
  const { data, error } = useClusterUse();
  return <UsageCard use={data} error={error} />;
}

export function UsageCard({ use, error }: { use: ClusterUse | undefined; error: Error | null }) {
  const words = useWords().home;
  if (use !== undefined && error === null && use.nodes.length === 0 && use.pods.length === 0) return null;
  return (
    <Card title={words.usage}>
      {error !== null && <p className={styles.quiet}>{messageOf(error)}</p>}
      {use === undefined ? (
        error === null && <Skeleton lines={4} />
      ) : (
        <Stack>
          <UsePlot title={words.clusterCpu} points={use.nodes} format={percentText} />
          {use.pods.length === 0 ? <p className={styles.quiet}>{words.noPodUse}</p> : <UsePlot title={words.podCpu} points={use.pods} format={coresText} />}
        </Stack>
      )}
    </Card>
  );
}

function UsePlot({ title, points, format }: { title: string; points: MetricPoint[]; format: (value: number | null) => string }) {
  const words = useWords().home;
  const series = useMemo(() => seriesOf(points), [points]);
  if (!isDrawable(points))
    return (
      <p className={styles.quiet}>
        {title}: {words.collecting}
      </p>
    );
  return <Plot title={title} series={series} x={{ kind: "time", label: "" }} format={format} height={HEIGHT} />;
}
