/** A column of the list; `preview` is a second line below the others. */
export interface TraceColumn {
  readonly id: ColumnId;
  readonly label: string;
  /** The heading, where the label is too wide. */
  readonly short?: string;
  /** The least width in pixels. */
  readonly width: number;
  /** Its share of the remaining width. */
  readonly grow?: number;
  readonly isNumber?: boolean;
}

export type ColumnId =
  | "time"
  | "name"
  | "status"
  | "kind"
  | "latency"
  | "tokens"
  | "cost"
  | "variant"
  | "revision"
  | "environment"
  | "user"
  | "application"
  | "route"
  | "session"
  | "scores"
  | "preview";

/** In display order. */
export const TRACE_COLUMNS: readonly TraceColumn[] = [
  { id: "time", label: "Time", width: 94 },
  { id: "name", label: "Name", width: 160, grow: 3 },
  { id: "status", label: "Status", width: 84 },
  { id: "kind", label: "Kind", width: 84 },
  { id: "latency", label: "Latency", width: 70, isNumber: true },
  { id: "tokens", label: "Tokens", width: 60, isNumber: true },
  { id: "cost", label: "Cost", width: 82, isNumber: true },
  { id: "variant", label: "Variant", width: 84, grow: 1 },
  { id: "revision", label: "Revision", short: "Rev.", width: 40, isNumber: true },
  { id: "environment", label: "Environment", width: 94, grow: 1 },
  { id: "user", label: "User", width: 82, grow: 1 },
  { id: "application", label: "Application", width: 84, grow: 1 },
  { id: "route", label: "Route", width: 82, grow: 1 },
  { id: "session", label: "Session", width: 82, grow: 1 },
  { id: "scores", label: "Scores", width: 180, grow: 2 },
  { id: "preview", label: "Input and output", width: 0 },
];

/** Hidden by default: the others fit beside the navigation at 1280 pixels. */
const USUALLY_HIDDEN: readonly ColumnId[] = ["route", "session", "scores"];

/** The order in which columns are hidden on a narrow screen. Time and name always stay. */
const DROPPED_FIRST: readonly ColumnId[] = [
  "session",
  "route",
  "user",
  "application",
  "revision",
  "tokens",
  "kind",
  "variant",
  "environment",
  "scores",
  "cost",
  "latency",
  "status",
];

export const ALWAYS_SHOWN: readonly ColumnId[] = ["time", "name"];

/** Where the browser keeps which columns are chosen. */
export const COLUMNS_KEY = "agate-trace-columns";

/** Of the row's checkbox, at the beginning. */
const CHECKBOX_WIDTH = 24;
/** Of the row's menu, at the end. */
const MENU_WIDTH = 32;

/** Reads the stored choice; a column added since then has its default. */
export function parseColumnChoice(kept: string | null): ReadonlySet<ColumnId> {
  const chosen = new Map(TRACE_COLUMNS.map(({ id }) => [id, !USUALLY_HIDDEN.includes(id)]));
  for (const word of kept?.split(",") ?? []) {
    const column = TRACE_COLUMNS.find(({ id }) => id === word.slice(1));
    if (column !== undefined && /^[+-]/.test(word)) chosen.set(column.id, word.startsWith("+"));
  }
  return new Set(TRACE_COLUMNS.flatMap(({ id }) => (isShown(chosen, id) ? [id] : [])));
}

function isShown(chosen: ReadonlyMap<ColumnId, boolean>, id: ColumnId): boolean {
  return ALWAYS_SHOWN.includes(id) || chosen.get(id) === true;
}

/** @example "+time,-user" */
export function formatColumnChoice(chosen: ReadonlySet<ColumnId>): string {
  return TRACE_COLUMNS.map(({ id }) => `${chosen.has(id) ? "+" : "-"}${id}`).join(",");
}

/** The chosen columns that fit into a width in pixels. */
export function fitColumns(chosen: ReadonlySet<ColumnId>, width: number): readonly TraceColumn[] {
  const dropped = new Set<ColumnId>();
  const fitting = () => TRACE_COLUMNS.filter(({ id }) => chosen.has(id) && !dropped.has(id));
  for (const id of DROPPED_FIRST) {
    if (leastWidth(fitting()) <= width) break;
    dropped.add(id);
  }
  return fitting();
}

/** The least width in pixels that columns take, with the checkbox and the menu. */
export function leastWidth(columns: readonly TraceColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, CHECKBOX_WIDTH + MENU_WIDTH);
}

/** For `grid-template-columns`: the checkbox, the columns, and the menu. */
export function columnTracks(columns: readonly TraceColumn[]): string {
  const tracks = columns
    .filter(({ id }) => id !== "preview")
    .map(({ width, grow }) =>
      grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`,
    );
  return [`${CHECKBOX_WIDTH}px`, ...tracks, `${MENU_WIDTH}px`].join(" ");
}
