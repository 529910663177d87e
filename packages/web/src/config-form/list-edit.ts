/** What can be done with one item of a list. */
export type ListEdit =
  | { readonly kind: "add"; readonly item: unknown }
  | { readonly kind: "change"; readonly index: number; readonly item: unknown }
  | { readonly kind: "remove" | "up" | "down"; readonly index: number };

export function editList(items: readonly unknown[], edit: ListEdit): readonly unknown[] {
  switch (edit.kind) {
    case "add":
      return [...items, edit.item];
    case "change":
      return items.with(edit.index, edit.item);
    case "remove":
      return items.toSpliced(edit.index, 1);
    case "up":
      return edit.index === 0 ? items : swapped(items, edit.index, edit.index - 1);
    case "down":
      return edit.index === items.length - 1 ? items : swapped(items, edit.index, edit.index + 1);
  }
}

function swapped(items: readonly unknown[], one: number, other: number): readonly unknown[] {
  return items.with(one, items[other]).with(other, items[one]);
}

/**
 * What has the focus after an edit, by the names that the buttons of a list carry: the same button of
 * the same item, where it is not at an end now.
 */
export function focusAfter(edit: ListEdit, length: number): string | null {
  switch (edit.kind) {
    case "add":
      return `item ${length}`;
    case "change":
      return null;
    case "remove":
      return length === 1 ? "add" : `remove ${Math.min(edit.index, length - 2)}`;
    case "up":
      return edit.index === 1 ? "down 0" : `up ${edit.index - 1}`;
    case "down":
      return edit.index === length - 2 ? `up ${length - 1}` : `down ${edit.index + 1}`;
  }
}
