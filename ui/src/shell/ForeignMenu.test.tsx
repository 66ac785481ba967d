import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { playedServer, show } from "../testing/stories";
import { stories } from "./Shell.stories";

playedServer();

test("a section of the menu has its title, and folds", async () => {
  show(() => stories["rail with sections of others"]?.());
  const section = await screen.findByRole("button", { name: "Data" });
  expect(screen.getByRole("link", { name: "Feature store" }).getAttribute("href")).toBe("/_/feast/?ns=ml");

  await userEvent.click(section);

  expect(section.getAttribute("aria-expanded")).toBe("false");
  expect(screen.queryByRole("link", { name: "Feature store" })).toBeNull();
  expect(screen.getByRole("link", { name: "Grafana" })).toBeTruthy();
});
