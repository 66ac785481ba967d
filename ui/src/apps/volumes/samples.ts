/** A volume as the server gives it, for stories. */
import { ago } from "../../gallery/samples";
import type { VolumeRow } from "../../kinds/generated";

export const VOLUME: VolumeRow = {
  name: "datasets",
  namespace: "ml",
  uid: "volume-1",
  status: { phase: "ready", message: "", state: "" },
  age: ago(86_400 * 9),
  capacity: "10Gi",
  capacityBytes: 10 * 2 ** 30,
  modes: ["ReadWriteOnce"],
  class: "standard",
  notebooks: ["lab"],
  viewer: { status: "uninitialized", url: null },
  usedBytes: 3 * 2 ** 30,
  usedAt: ago(60),
  consumers: [],
  isOrphan: false,
  why: null,
};
