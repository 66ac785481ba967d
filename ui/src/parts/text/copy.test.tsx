import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { renderPage } from "../../testing/render";
import { Page } from "../page/Page";
import { CopiedName } from "./Copy";

const LONG = "bert-large-uncased-whole-word-masking-finetuned-squad";

test("the name in a title is copied; the heading is the name alone", async () => {
  const user = userEvent.setup();
  await renderPage(
    <Page title={LONG} isName>
      content
    </Page>,
  );
  await user.click(screen.getByRole("button", { name: "Copy the name" }));

  expect(await navigator.clipboard.readText()).toBe(LONG);
  expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
  expect(screen.getByRole("heading", { name: LONG })).toBeTruthy();
});

test("a title that is no name has nothing to copy", async () => {
  await renderPage(<Page title="Volumes">content</Page>);

  expect(screen.queryByRole("button")).toBeNull();
});

test("a name that leads nowhere is copied whole by a click", async () => {
  const user = userEvent.setup();
  await renderPage(<CopiedName text={LONG} />);
  await user.click(screen.getByRole("button", { name: `Copy: ${LONG}` }));

  expect(await navigator.clipboard.readText()).toBe(LONG);
  expect(await screen.findByRole("button", { name: `Copied: ${LONG}` })).toBeTruthy();
});
