import type { ReactNode } from "react";
import { Stack } from "../page/Page";
import { Button } from "./Button";
import { ButtonLink, ExternalButton } from "./ButtonLink";

export const title = "Button";
export const stories: Record<string, () => ReactNode> = {
  looks: () => (
    <Stack>
      <div>
        <Button look="primary" label="Create" icon="plus" /> <Button label="Suspend" icon="pause" /> <Button look="quiet" label="Cancel" />{" "}
        <Button look="danger" label="Delete" icon="trash" />
      </div>
      <div>
        <Button small look="primary" label="Create" /> <Button small label="Suspend" /> <Button small look="quiet" label="Cancel" /> <Button small look="danger" label="Delete" />
      </div>
      <div>
        <Button iconOnly icon="more" label="Actions" /> <Button iconOnly look="quiet" icon="copy" label="Copy" /> <Button iconOnly small look="quiet" icon="close" label="Close" />
      </div>
    </Stack>
  ),
  busy: () => <Button look="primary" label="Saving" busy />,
  forbidden: () => <Button look="danger" icon="trash" label="Delete" missing="delete notebooks.kubeflow.org" />,
  "forbidden link": () => (
    <ButtonLink to="/jobs/new" look="primary" icon="plus" missing="create pytorchjobs.kubeflow.org">
      New job
    </ButtonLink>
  ),
  "not now": () => <Button look="primary" label="Connect" disabledReason="The server is still starting." />,
  links: () => (
    <>
      <ButtonLink to="/jupyter/new" look="primary" icon="plus">
        New notebook
      </ButtonLink>{" "}
      <ButtonLink to="/">Home</ButtonLink> <ExternalButton href="#/" label="Connect" />
    </>
  ),
};
