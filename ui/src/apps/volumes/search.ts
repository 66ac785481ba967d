/** Volumes in the palette. */
import { useNamespacedView } from "../../api/namespacedView";
import type { VolumeRow, VolumesView } from "../../kinds/generated";
import { foundAt, type AppSearch, type FoundObject } from "../app";
import { CLAIMS } from "./kinds/volumes";

const found = foundAt("PersistentVolumeClaim", "volume", "/volumes/details");

export const foundVolumes = (rows: VolumeRow[]): FoundObject[] => rows.map(found);

export const VOLUME_SEARCH: AppSearch = {
  creations: [{ id: "new-volume", to: "/volumes/new", icon: "plus", label: (words) => words.volumes.new, resources: [CLAIMS], order: 60 }],
  useObjects: () => foundVolumes(useNamespacedView<VolumesView>("volumes").data?.rows ?? []),
};
