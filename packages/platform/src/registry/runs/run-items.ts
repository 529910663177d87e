/** How many items a run has, and in which order they are called. */
export interface RunOrder {
  readonly trials: number;
  readonly columns: number;
  readonly seed: number;
}

/** One call of a run: the places of its case and column, and its trial, all from 0. */
export interface ItemPlaces {
  readonly case: number;
  readonly column: number;
  readonly trial: number;
}

/**
 * The item at a place in the order of a run. A case's columns are next to each other, so that what
 * changes during a run (a busy model, a warm cache) is the same for all; which of them is first is random.
 */
export function itemAt(order: RunOrder, index: number): ItemPlaces {
  const { trials, columns } = order;
  const group = Math.floor(index / columns);
  const column = ((index % columns) + firstColumn(order, group)) % columns;
  return { case: Math.floor(group / trials), column, trial: group % trials };
}

/** Where an item is in the order of a run. */
export function indexOfItem(order: RunOrder, item: ItemPlaces): number {
  const { trials, columns } = order;
  const group = item.case * trials + item.trial;
  const place = (item.column - firstColumn(order, group) + columns) % columns;
  return group * columns + place;
}

/** Mixes all bits, as MurmurHash3 ends: neighbours have nothing in common. */
function firstColumn({ seed, columns }: RunOrder, group: number): number {
  let mixed = seed ^ Math.imul(group + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % columns;
}
