import type { ReactNode } from "react";
import { Button } from "../button/Button";
import { Card } from "../card/Card";
import { Pill } from "../pill/Pill";
import { Columns, Page, Stack } from "./Page";
import { PageTabs } from "./PageTabs";

const NAMES = ["Overview", "Logs", "Metrics", "Events", "YAML", "Related objects", "Conditions"];

export const title = "Page";
export const stories: Record<string, () => ReactNode> = {
  details: () => (
    <Page
      title="bert-large-uncased-whole-word-masking-finetuned-squad"
      isName
      badge={<Pill state="running" />}
      sentence="Trains on 4 workers since 3 h 12 min; step 12,000 of 40,000."
      parent={{ to: "/jobs/", label: "Training jobs" }}
      actions={
        <>
          <Button label="Suspend" icon="pause" /> <Button iconOnly look="quiet" icon="more" label="Actions" />
        </>
      }
    >
      <PageTabs label="bert" tabs={NAMES.map((name) => ({ id: name, label: name, content: () => <Card title={name}>{name}</Card> }))} />
    </Page>
  ),
  "two columns": () => (
    <Page title="Home" sentence="Everything is well.">
      <Columns>
        <Stack>
          <Card title="Large">What one came for.</Card>
          <Card title="Below">More of it.</Card>
        </Stack>
        <Card title="Small">What goes with it.</Card>
      </Columns>
    </Page>
  ),
  "full width": () => (
    <Page title="Notebooks" full>
      <Card>A table uses the whole width.</Card>
    </Page>
  ),
};
