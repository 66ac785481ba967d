/** Pages of parts that Windlass does not have yet. */
export const later = {
  title: "Not here yet",
  sentence: "Windlass does not have this part yet. Its page will be here.",
};
