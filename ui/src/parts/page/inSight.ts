/** Scrolls a row of tabs or links sideways, so that one of them is seen; not where it is already. */
export function moveIntoSight(row: HTMLElement, child: HTMLElement): void {
  const [outer, inner] = [row.getBoundingClientRect(), child.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) row.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}
