import { useLocation } from "@tanstack/react-router";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderPage } from "../../testing/render";
import type { Column } from "./columns";
import { DataTable } from "./DataTable";
import { FilteredList } from "./FilteredList";

interface Row {
  name: string;
  size: number;
}

const COLUMNS: Column<Row>[] = [
  { id: "name", header: "Name", value: (row) => row.name },
  { id: "size", header: "Size", value: (row) => row.size },
];
const rows = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ name: `row-${index}`, size: -index }));

function TwoLists({ count }: { count: number }) {
  return (
    <>
      <output>{decodeURIComponent(useLocation().searchStr)}</output>
      <DataTable inside="pods" label="Pods" rows={rows(count)} columns={COLUMNS} idOf={(row) => row.name} />
      <FilteredList inside="nodes" rows={rows(count)} columns={COLUMNS} sortable>
        {(shown) => <ul aria-label="Nodes">{shown.map((row) => <li key={row.name}>{row.name}</li>)}</ul>}
      </FilteredList>
    </>
  );
}

const address = () => document.querySelector("output")?.textContent;
const pods = () => within(screen.getByRole("table", { name: "Pods" })).getAllByRole("row").slice(1).map((row) => within(row).getAllByRole("cell")[0]?.textContent);
const nodes = () => within(screen.getByRole("list", { name: "Nodes" })).queryAllByRole("listitem").map((item) => item.textContent);

test("each of two lists of a page is filtered and ordered by its own part of the URL", async () => {
  await renderPage(<TwoLists count={8} />);
  const [ofPods, ofNodes] = screen.getAllByRole("searchbox", { name: "Filter" }) as [HTMLElement, HTMLElement];

  await userEvent.type(ofPods, "row-3");
  await userEvent.type(ofNodes, "row-5");
  await vi.waitFor(() => expect([pods(), nodes()]).toEqual([["row-3"], ["row-5"]]));
  expect(address()).toContain("pods.q=row-3");
  expect(address()).toContain("nodes.q=row-5");

  await userEvent.clear(ofPods);
  await userEvent.click(screen.getByRole("button", { name: "Size" }));
  await vi.waitFor(() => expect(pods()[0]).toBe("row-7"));
  await userEvent.clear(ofNodes);
  await userEvent.click(screen.getByRole("button", { name: "Sort in descending order" }));
  await vi.waitFor(() => expect(nodes()[0]).toBe("row-7"));
  expect(address()).toContain("pods.sort=size");
  expect(address()).toContain("nodes.sort=name.desc");
});

test("a few rows are sorted, and need no filter", async () => {
  await renderPage(<TwoLists count={3} />);

  expect(screen.queryByRole("searchbox")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Size" }));
  await vi.waitFor(() => expect(pods()[0]).toBe("row-2"));
});
