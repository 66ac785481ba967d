/** Profiles: the namespaces of persons, who works in them, registration, and the recycle bin. */
import { page, type App } from "../app";

export const PROFILES_APP: App = {
  name: "profiles",
  addresses: ["manage-users"],
  pages: [
    page("/manage-users", () => import("./pages/people/People"), "People"),
    page("/register", () => import("./pages/register/Register"), "Register"),
  ],
  menu: { to: "/manage-users", icon: "people", label: (words) => words.people.menu, group: "cluster", order: 20 },
};
