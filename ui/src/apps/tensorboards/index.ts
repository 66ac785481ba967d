/** TensorBoards. */
import { page, pagesAt, type App } from "../app";
import { TENSORBOARD_SEARCH } from "./search";

export const TENSORBOARDS_APP: App = {
  name: "tensorboards",
  addresses: ["tensorboards"],
  pages: [
    page("/tensorboards/", () => import("./pages/TensorboardList"), "TensorboardList"),
    page("/tensorboards/new", () => import("./pages/NewTensorboard"), "NewTensorboard"),
    page("/tensorboards/details/$namespace/$name", () => import("./pages/TensorboardDetails"), "TensorboardDetails"),
  ],
  menu: { to: "/tensorboards/", icon: "board", label: (words) => words.tensorboards.menu, group: "work", order: 50 },
  search: TENSORBOARD_SEARCH,
  pageOf: pagesAt({ Tensorboard: "/tensorboards/details" }),
};
