/** Notebook servers. */
import { page, pagesAt, type App } from "../app";
import { NOTEBOOK_SEARCH } from "./search";

export const NOTEBOOKS_APP: App = {
  name: "notebooks",
  addresses: ["jupyter"],
  pages: [
    page("/jupyter/", () => import("./pages/NotebookList"), "NotebookList"),
    page("/jupyter/new", () => import("./pages/form/NewNotebook"), "NewNotebook"),
    page("/jupyter/notebook/details/$namespace/$name", () => import("./pages/NotebookDetails"), "NotebookDetails"),
  ],
  menu: { to: "/jupyter/", icon: "notebook", label: (words) => words.notebooks.menu, group: "work", order: 10 },
  search: NOTEBOOK_SEARCH,
  pageOf: pagesAt({ Notebook: "/jupyter/notebook/details" }),
};
