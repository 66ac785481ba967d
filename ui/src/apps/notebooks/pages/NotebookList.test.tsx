import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { SESSION_KEY } from "../../../api/session";
import { live } from "../../../gallery/live";
import { notebookRow } from "../samples";
import { renderPage, rights } from "../../../testing/render";
import { NotebookListPage } from "./NotebookList";

const SESSION = { user: "ada@example.com", memberships: [{ namespace: "ml", role: "owner" }], isClusterAdmin: false, hasMachineView: false };
const rows = [notebookRow("vision", "ready"), notebookRow("lab-10", "stopped"), notebookRow("lab-2", "ready")].map((row) => ({ ...row, uid: row.name }));

const names = () => within(screen.getByRole("list", { name: "Notebooks" })).queryAllByRole("link").map((link) => link.getAttribute("href")?.split("/").pop()?.split("?")[0]).filter((name) => rows.some((row) => row.name === name));
const open = () => renderPage(<NotebookListPage notebooks={live({ rows })} hasNamespaces={false} />, { answers: [[SESSION_KEY, SESSION], rights("ml")] });

test("cards are in the order of their names, and filtered by the box of the table", async () => {
  await open();
  expect(names()).toEqual(["lab-2", "lab-10", "vision"]);

  await userEvent.type(screen.getByRole("searchbox", { name: "Filter" }), "name:lab state:running");

  await expect.poll(names).toEqual(["lab-2"]);
  expect(screen.getByText("1 of 3")).toBeTruthy();
});

test("the filter outlives the change from cards to the table, as it is in the address", async () => {
  await open();

  await userEvent.click(screen.getByRole("button", { name: /^Stopped/ }));
  await expect.poll(names).toEqual(["lab-10"]);
  await userEvent.click(screen.getByRole("radio", { name: "Table" }));

  expect((await screen.findByRole<HTMLInputElement>("searchbox", { name: "Filter" })).value).toBe("state:Stopped");
  expect(screen.getAllByRole("row").length).toBe(2);
});

test("a filter that nothing has says so", async () => {
  await open();

  await userEvent.type(screen.getByRole("searchbox", { name: "Filter" }), "nothing-like-this");

  expect(await screen.findByText("Nothing matches the filter.")).toBeTruthy();
});
