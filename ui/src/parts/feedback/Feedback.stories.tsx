import type { ReactNode } from "react";
import { failed, forbidden, live, loading, stale } from "../../gallery/live";
import { SHORT_OF_GPUS } from "../../gallery/samples";
import { ButtonLink } from "../button/ButtonLink";
import { Button } from "../button/Button";
import { Card } from "../card/Card";
import type { State } from "../pill/Pill";
import { Stack } from "../page/Page";
import { EmptyState } from "./EmptyState";
import { Loaded } from "./Loaded";
import { Skeleton } from "./Skeleton";
import { WhyBox } from "./WhyBox";
import { WhyCard } from "./WhyCard";

const STATES: State[] = ["failed", "waiting", "running", "succeeded", "stopped", "unknown"];
const content = (text: string) => <Card title="Notebooks">{text}</Card>;

export const title = "Feedback";
export const stories: Record<string, () => ReactNode> = {
  "why card, every state": () => (
    <Stack>
      {STATES.map((state) => (
        <WhyCard
          key={state}
          state={state}
          sentence="bert waits for 4 GPUs; 1 is free."
          detail="3 are held by resnet until about 14:20."
          action={<Button label="Suspend resnet" icon="pause" />}
        />
      ))}
    </Stack>
  ),
  "why card, sentence alone": () => <WhyCard state="failed" sentence="The container was killed: it used more than its limit of 512Mi." />,
  "why of the server": () => <WhyBox state="waiting" why={SHORT_OF_GPUS} />,
  "why without a fix": () => <WhyBox state="waiting" why={{ ...SHORT_OF_GPUS, fixes: [] }} />,
  empty: () => (
    <EmptyState
      icon="notebook"
      sentence="There is no notebook in ml yet."
      action={
        <ButtonLink to="/jupyter/new" look="primary" icon="plus">
          New notebook
        </ButtonLink>
      }
      command="windlass notebook create lab --image jupyter-scipy --namespace ml"
    />
  ),
  "empty, only a sentence": () => <EmptyState icon="activity" sentence="Nothing has happened here." />,
  skeleton: () => <Skeleton />,
  "loaded: loading": () => <Loaded live={loading<string>()}>{content}</Loaded>,
  "loaded: live": () => <Loaded live={live("What the server has.")}>{content}</Loaded>,
  "loaded: stale": () => <Loaded live={stale("What the server had.")}>{content}</Loaded>,
  "loaded: failed, nothing known": () => <Loaded live={failed<string>()}>{content}</Loaded>,
  "loaded: failed, old content": () => <Loaded live={failed("What the server had.")}>{content}</Loaded>,
  "loaded: forbidden": () => <Loaded live={forbidden<string>()}>{content}</Loaded>,
};
