import { useMemo } from "react";
import { usePodUse } from "../../api/podUse";
import type { ObjectKey } from "../../api/k8s";
import type { MetricPoint } from "../../kinds/generated";
import { coresText } from "../../kinds/quantities";
import { Card } from "../../parts/card/Card";
import { FieldRow } from "../../parts/form/Form";
import { Plot } from "../../parts/plot/Plot";
import { bytesText } from "../../parts/plot/series";
import { useWords } from "../../words";

/** CPU and memory of a pod over the last quarter of an hour. */
export function PodUsage({ pod }: { pod: ObjectKey | undefined }) {
  const words = useWords().viewers.podUse;
  const use = usePodUse(pod).data;
  return (
    <Card title={words.usage}>
      <FieldRow>
        <UsePlot title={words.cpuCores} points={use?.cpu ?? []} format={(value) => (value === null ? "–" : coresText(value))} />
        <UsePlot title={words.memoryBytes} points={use?.memory ?? []} format={bytesText} />
      </FieldRow>
    </Card>
  );
}

function UsePlot({ title, points, format }: { title: string; points: MetricPoint[]; format: (value: number | null) => string }) {
  const series = useMemo(
    () => [{ id: title, label: title, x: points.map((point) => point.timestamp), y: points.map((point) => point.value) }],
    [title, points],
  );
  return <Plot title={title} series={series} x={{ kind: "time", label: "" }} format={format} height={150} />;
}
