import type { AnalyticsFigures } from "@agate/protocol";
import { ArrowDown, ArrowUp, FilterX } from "lucide-react";
import { SeriesSwatch } from "../charts/series-swatch.tsx";
import { classNames } from "../design/class-names.ts";
import { SPLIT_LABELS, type Split } from "./dashboard-search.ts";
import { GROUP_COLUMNS, type GroupColumn, type GroupSort, sortGroups } from "./group-columns.ts";
import type { ShownGroup } from "./shown-groups.ts";

interface GroupTableProps {
  readonly split: Split;
  readonly groups: readonly ShownGroup[];
  readonly sort: GroupSort;
  readonly onSort: (column: string) => void;
  /** The group that the dashboard is filtered by; undefined for none. */
  readonly chosen: string | undefined;
  readonly onChoose: (key: string | undefined) => void;
  readonly onEmphasis: (group: ShownGroup | null) => void;
}

/** The table of the groups, which is the legend of the charts. */
export function GroupTable(props: GroupTableProps) {
  const { split, groups, sort, onSort } = props;
  return (
    <section className="min-w-0 overflow-x-auto rounded-xl border border-line bg-surface">
      <table
        aria-label={`By ${split}`}
        className="w-full border-separate border-spacing-0 tabular-nums"
      >
        <thead className="text-[0.93rem] text-ink-soft">
          <tr>
            <SortHeader name="name" label={SPLIT_LABELS[split]} sort={sort} onSort={onSort} />
            {GROUP_COLUMNS.map(({ name, label }) => (
              <SortHeader key={name} name={name} label={label} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody onMouseLeave={() => props.onEmphasis(null)}>
          {sortGroups(groups, sort).map((group) => (
            <GroupRow key={group.id} group={group} isLegend={groups.length > 1} {...props} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface SortHeaderProps {
  readonly name: string;
  readonly label: string;
  readonly sort: GroupSort;
  readonly onSort: (column: string) => void;
}

function SortHeader({ name, label, sort, onSort }: SortHeaderProps) {
  const isSorted = sort.column === name;
  const Icon = sort.isRising ? ArrowUp : ArrowDown;
  const isName = name === "name";
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sort.isRising ? "ascending" : "descending") : undefined}
      className={classNames(
        "border-b border-line p-0 font-medium whitespace-nowrap",
        isName ? "bg-surface text-left max-sm:sticky max-sm:left-0 max-sm:z-10" : "text-right",
      )}
    >
      <button
        type="button"
        onClick={() => onSort(name)}
        className={classNames(
          "inline-flex h-9 items-center gap-1 px-3 hover:text-ink",
          isSorted && "text-ink",
          !isName && "flex-row-reverse",
        )}
      >
        {label}
        {isSorted && <Icon size={12} aria-hidden />}
      </button>
    </th>
  );
}

interface GroupRowProps extends GroupTableProps {
  readonly group: ShownGroup;
  readonly isLegend: boolean;
}

function GroupRow({ group, isLegend, chosen, onChoose, onEmphasis }: GroupRowProps) {
  const { key, label, figures, paint } = group;
  const isChosen = key !== undefined && key === chosen;
  return (
    <tr
      className="group relative hover:bg-sunken"
      onMouseEnter={() => onEmphasis(isLegend ? group : null)}
    >
      <th
        scope="row"
        className="max-w-56 border-line bg-surface px-3 max-sm:sticky max-sm:left-0 max-sm:z-10 py-0 text-left font-medium group-not-last:border-b group-hover:bg-sunken max-sm:max-w-36"
      >
        <span className="flex h-9 items-center gap-2">
          {isLegend && <SeriesSwatch paint={paint} kind="bars" />}
          {key === undefined ? (
            <span className="truncate text-ink-soft italic">{label}</span>
          ) : (
            <button
              type="button"
              title={isChosen ? "Show all" : `Show only ${label}`}
              aria-pressed={isChosen}
              onClick={() => onChoose(isChosen ? undefined : key)}
              onFocus={() => onEmphasis(isLegend ? group : null)}
              onBlur={() => onEmphasis(null)}
              className="flex min-w-0 items-center gap-1.5 after:absolute after:inset-0"
            >
              <span className="truncate">{label}</span>
              {isChosen && <FilterX size={14} aria-hidden className="shrink-0 text-accent" />}
            </button>
          )}
        </span>
      </th>
      {GROUP_COLUMNS.map((column) => (
        <FigureCell key={column.name} column={column} figures={figures} />
      ))}
    </tr>
  );
}

interface FigureCellProps {
  readonly column: GroupColumn;
  readonly figures: AnalyticsFigures;
}

/** A figure of a group. What it is of stands below it, unless it is of all calls. */
function FigureCell({ column: { name, value, format, exact, part }, figures }: FigureCellProps) {
  const of = part(figures);
  return (
    <td
      title={exact(value(figures))}
      className={classNames(
        "border-line px-3 text-right whitespace-nowrap group-not-last:border-b",
        (name === "errors" || name === "rate") && figures.errors > 0 && "text-danger",
      )}
    >
      {format(value(figures))}
      {of !== null && <span className="block pb-1 text-xs text-ink-soft">{of}</span>}
    </td>
  );
}
