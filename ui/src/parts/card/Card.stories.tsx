import type { ReactNode } from "react";
import { Button } from "../button/Button";
import { Name } from "../text/Name";
import { Card, Facts } from "./Card";

export const title = "Card";
export const stories: Record<string, () => ReactNode> = {
  "with a title": () => (
    <Card title="Data" aside={<Button small label="Edit" icon="edit" />}>
      What the card is about.
    </Card>
  ),
  "without a title": () => <Card>Only content.</Card>,
  facts: () => (
    <Card title="Overview">
      <Facts
        rows={[
          ["Image", "jupyter-scipy:v1.9.0"],
          ["CPU", "500m"],
          ["Node", <Name key="node" text="ip-10-20-30-40.eu-central-1.compute.internal-worker-17" />],
          ["Left out", undefined],
          ["Labels", "app=bert, team=language, stage=experiment, owner=ada"],
        ]}
      />
    </Card>
  ),
};
