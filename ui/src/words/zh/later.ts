import type { Words } from "..";

export const later: Words["later"] = {
  title: "尚未提供",
  sentence: "Windlass 还没有这一部分，它的页面以后会在这里。",
};
