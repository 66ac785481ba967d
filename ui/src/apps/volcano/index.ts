/** Queues of the scheduler, the gangs in them, and the simulator. */
import { page, type App } from "../app";
import { QUEUE_SEARCH } from "./search";

export const VOLCANO_APP: App = {
  name: "volcano",
  addresses: ["queues"],
  pages: [
    page("/queues/", () => import("./pages/QueueList"), "QueueList"),
    page("/queues/$name", () => import("./pages/QueueDetails"), "QueueDetails"),
  ],
  menu: { to: "/queues/", icon: "queues", label: (words) => words.queues.menu, group: "work", order: 40 },
  search: QUEUE_SEARCH,
};
