import type { ReactNode } from "react";
import { Card, Facts } from "../card/Card";
import { CopiedName, CopyButton } from "./Copy";
import { Name } from "./Name";
import { Duration, Time } from "./Time";

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

export const title = "Text";
export const stories: Record<string, () => ReactNode> = {
  times: () => (
    <Card>
      <Facts
        rows={[
          ["Just now", <Time key="now" at={ago(1)} />],
          ["A while ago", <Time key="ago" at={ago(200)} />],
          ["Long ago", <Time key="long" at={ago(90_000)} />],
          ["To come", <Time key="in" at={ago(-600)} />],
          ["In a column", <Time key="bare" at={ago(7_300)} bare />],
          ["Unknown", <Time key="none" at={undefined} />],
          ["Lasted", <Duration key="took" from={ago(5_000)} to={ago(1_000)} />],
          ["Lasts", <Duration key="takes" from={ago(500)} />],
        ]}
      />
    </Card>
  ),
  names: () => (
    <div style={{ maxWidth: 240 }}>
      <Name text="lab" />
      <br />
      <Name text="bert-large-uncased-whole-word-masking-finetuned-squad-worker-17" />
      <br />
      <CopiedName text="s3://datasets/imagenet/2026-11-18/train-00017-of-01024.tar" />
    </div>
  ),
  copy: () => <CopyButton text="kubectl get pods" />,
};
