/** Volumes and the files on them. */
import { page, pagesAt, type App } from "../app";
import { VOLUME_SEARCH } from "./search";

export const VOLUMES_APP: App = {
  name: "volumes",
  addresses: ["volumes"],
  pages: [
    page("/volumes/", () => import("./pages/VolumeList"), "VolumeList"),
    page("/volumes/new", () => import("./pages/NewVolume"), "NewVolume"),
    page("/volumes/details/$namespace/$name", () => import("./pages/VolumeDetails"), "VolumeDetails"),
  ],
  menu: { to: "/volumes/", icon: "volume", label: (words) => words.volumes.menu, group: "work", order: 60 },
  search: VOLUME_SEARCH,
  pageOf: pagesAt({ PersistentVolumeClaim: "/volumes/details" }),
};
