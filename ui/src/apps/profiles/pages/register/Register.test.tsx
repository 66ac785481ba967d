import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPage } from "../../../../testing/render";
import { stories } from "./Register.stories";

const COMMAND = "windlass profile create carol-bc --owner Carol.B_c@example.com";

test("where people register, the form proposes a name", async () => {
  await renderPage(stories["usual"]?.());

  expect(screen.getByRole<HTMLInputElement>("textbox").value).toBe("carol-bc");
  expect(screen.queryByText(COMMAND)).toBeNull();
});

test("where they do not, the page says whom to ask and what an administrator runs", async () => {
  await renderPage(stories["registration is off"]?.());

  expect(screen.getByText(/Ask an administrator/)).toBeTruthy();
  expect(screen.getByText(COMMAND)).toBeTruthy();
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("an administrator may make a namespace in any case", async () => {
  await renderPage(stories["registration is off, for an administrator"]?.());

  expect(screen.getByRole("textbox")).toBeTruthy();
});
