import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { jobRow } from "../samples";
import { renderPage } from "../../../testing/render";
import { zh } from "../../../words/zh";
import { JobTable } from "./JobTable";

test("the filters by state are in the language of the page", async () => {
  await renderPage(<JobTable rows={[jobRow("bert", "Suspended"), jobRow("fit", "Failed")]} hasNamespace={false} />, { words: zh });
  const filters = within(screen.getByRole("group", { name: "状态" })).getAllByRole("button");

  expect(filters.map((one) => one.textContent)).toEqual(["失败 1", "已挂起 1"]);
});
