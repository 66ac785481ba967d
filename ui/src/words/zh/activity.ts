import type { Words } from "..";

export const activity: Words["activity"] = {
  title: "活动",
  sentence: "此命名空间中对象的事件，最新的在前。",
  empty: "这里还没有发生任何事情。",
  today: "今天",
  yesterday: "昨天",
  warningsOnly: "仅显示警告",
  allKinds: "所有类型",
};
