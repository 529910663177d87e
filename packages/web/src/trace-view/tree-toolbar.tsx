import {
  ArrowDown,
  ArrowUp,
  ChevronsDownUp,
  CircleAlert,
  Keyboard,
  Route,
  ZoomOut,
} from "lucide-react";
import { Button, IconButton } from "../design/button.tsx";
import { TextInput } from "../design/field.tsx";
import { Menu, MenuHeading, MenuItem, Popover } from "../design/menu.tsx";
import { collapsedBelow, type SpanNode } from "./span-tree.ts";
import { after, before, nodeOf, type TreeView } from "./use-tree-view.ts";

const DEPTHS = [1, 2, 3, 5] as const;

/** Search, errors, critical path and folding of a trace. */
export function TreeToolbar({
  view,
  isCompact,
}: {
  readonly view: TreeView;
  readonly isCompact: boolean;
}) {
  const { tree, errors, path } = view;
  const current = nodeOf(tree, view.cursor.id);
  const jump = (to: SpanNode | undefined) => to && view.jumpTo(to);
  return (
    <div
      role="toolbar"
      aria-label="Trace tools"
      className="flex flex-wrap items-center gap-1.5 border-b border-line bg-surface px-3 py-2"
    >
      <SearchBox view={view} />
      {errors.length > 0 && (
        <Button size="small" onClick={() => jump(after(errors, current))}>
          <CircleAlert size={15} aria-hidden className="text-danger" />
          Next error
          <span className="text-ink-soft tabular-nums">{errors.length.toLocaleString("en")}</span>
        </Button>
      )}
      {!isCompact && (
        <Button
          size="small"
          aria-pressed={path !== null}
          className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
          title="Spans that determine the total latency"
          onClick={view.togglePath}
        >
          <Route size={15} aria-hidden />
          Critical path
        </Button>
      )}
      <Menu
        align="start"
        trigger={<IconButton icon={ChevronsDownUp} label="Collapse and expand" />}
      >
        <MenuItem onSelect={() => view.setCollapsed(new Set())}>Expand all</MenuItem>
        <MenuItem onSelect={() => view.setCollapsed(collapsedBelow(tree, 0))}>
          Collapse all
        </MenuItem>
        <MenuHeading>Expand to</MenuHeading>
        {DEPTHS.map((depth) => (
          <MenuItem key={depth} onSelect={() => view.setCollapsed(collapsedBelow(tree, depth))}>
            Level {depth}
          </MenuItem>
        ))}
      </Menu>
      <KeysHelp />
      {view.isZoomed && (
        <Button size="small" onClick={() => view.zoomTo(null)}>
          <ZoomOut size={15} aria-hidden />
          Reset zoom
        </Button>
      )}
    </div>
  );
}

function SearchBox({ view }: { readonly view: TreeView }) {
  const { tree, matches, search } = view;
  const current = nodeOf(tree, view.cursor.id);
  const place = current === undefined ? -1 : matches.indexOf(current);
  const jump = (to: SpanNode | undefined) => to && view.jumpTo(to);
  return (
    <div className="flex min-w-56 flex-1 items-center gap-0.5">
      <div className="relative min-w-0 flex-1">
        <TextInput
          type="search"
          aria-label="Search in trace"
          placeholder="Search in trace"
          value={search}
          className={search === "" ? "h-7" : "h-7 pr-16"}
          onChange={(event) => view.setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") jump((event.shiftKey ? before : after)(matches, current));
            if (event.key === "Escape") view.setSearch("");
          }}
        />
        <span
          role="status"
          className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 bg-surface text-xs text-ink-soft tabular-nums"
        >
          {search.trim() !== "" &&
            (matches.length === 0 ? "No matches" : `${place + 1 || "–"} of ${matches.length}`)}
        </span>
      </div>
      <IconButton
        icon={ArrowUp}
        label="Previous match"
        disabled={matches.length === 0}
        onClick={() => jump(before(matches, current))}
      />
      <IconButton
        icon={ArrowDown}
        label="Next match"
        disabled={matches.length === 0}
        onClick={() => jump(after(matches, current))}
      />
    </div>
  );
}

const KEYS = [
  ["↑ ↓", "Previous, next span"],
  ["← →", "Collapse, expand; parent, first child"],
  ["*", "Expand all siblings"],
  ["Home End", "First, last span"],
  ["Enter", "Show span"],
  ["e", "Next error"],
  ["z", "Zoom to span"],
  ["Shift Z", "Reset zoom"],
] as const;

function KeysHelp() {
  return (
    <Popover
      label="Keyboard shortcuts"
      trigger={<IconButton icon={Keyboard} label="Keyboard shortcuts" className="max-lg:hidden" />}
    >
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5">
        {KEYS.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">
                {keys}
              </kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Popover>
  );
}
