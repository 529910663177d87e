import { Copy, Ellipsis, ExternalLink, ListFilter, ListPlus, Trash2 } from "lucide-react";
import type { ListView, TraceRow } from "../../api/trace-row.ts";
import { IconButton } from "../../design/button.tsx";
import { Menu, MenuHeading, MenuItem, MenuLine } from "../../design/menu.tsx";
import { shownName } from "../../spans/shown-name.ts";
import { filterText } from "../filters/filter-fields.ts";
import { cellText } from "./cell-text.ts";
import type { ColumnId } from "./trace-columns.ts";
import type { RowActions } from "./use-row-actions.ts";

const FILTERABLE: readonly ColumnId[] = [
  "name",
  "status",
  "kind",
  "application",
  "route",
  "variant",
  "revision",
  "environment",
  "user",
  "session",
  "scores",
];

interface RowMenuProps {
  readonly row: TraceRow;
  readonly view: ListView;
  readonly isTabStop: boolean;
  readonly actions: RowActions;
}

/** The menu of a row: open in a tab, copy, filter, delete. */
export function RowMenu({ row, view, isTabStop, actions }: RowMenuProps) {
  const filters = FILTERABLE.flatMap((column) => {
    const { filter } = cellText(row, column);
    return filter === undefined ? [] : [filter];
  });
  return (
    <Menu
      trigger={
        <IconButton
          icon={Ellipsis}
          label={`More for ${shownName(row.name)}`}
          tabIndex={isTabStop ? 0 : -1}
          className="relative z-10"
        />
      }
    >
      <MenuItem onSelect={() => actions.openInTab(row)}>
        <ExternalLink size={15} aria-hidden className="text-ink-soft" />
        Open in new tab
      </MenuItem>
      <MenuItem onSelect={() => actions.copyId(row)}>
        <Copy size={15} aria-hidden className="text-ink-soft" />
        {view === "spans" ? "Copy span id" : "Copy trace id"}
      </MenuItem>
      <MenuItem onSelect={() => actions.addToTestSet(row)}>
        <ListPlus size={15} aria-hidden className="text-ink-soft" />
        Add to test set…
      </MenuItem>
      <MenuLine />
      <MenuHeading>Filter by</MenuHeading>
      {filters.map(([name, value]) => (
        <MenuItem key={name} onSelect={() => actions.filter(name, value)}>
          <ListFilter size={15} aria-hidden className="shrink-0 text-ink-soft" />
          <span className="max-w-72 truncate">{filterText(name, value)}</span>
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem
        tone="danger"
        refusal={actions.mayDelete ? null : "Deleting a trace needs a key with the admin scope."}
        onSelect={() => actions.askToDelete(row)}
      >
        <Trash2 size={15} aria-hidden />
        Delete trace…
      </MenuItem>
    </Menu>
  );
}
