/** The page of events. */
export const activity = {
  title: "Activity",
  sentence: "What happened to the objects of this namespace, newest first.",
  empty: "Nothing has happened here yet.",
  today: "Today",
  yesterday: "Yesterday",
  warningsOnly: "Warnings only",
  allKinds: "All kinds",
};
