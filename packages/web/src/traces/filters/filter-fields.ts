import { type AnalyticsGrouping, SPAN_KINDS, SPAN_STATUSES } from "@agate/protocol";
import { ApiError } from "../../api/api-error.ts";
import { shownName } from "../../spans/shown-name.ts";
import { TRACE_FILTERS, type TraceFilter, type TracesSearch } from "../traces-search.ts";

/** The filters that are chips: without the search and the traffic, which have controls of their own. */
export type FilterName = Exclude<TraceFilter, "q" | "traffic">;

/** How the values of a filter are suggested and shown. */
export interface FilterField {
  readonly label: string;
  /** Null where the value has its own. */
  readonly sign: "is" | "≥" | null;
  /** The grouping whose values are suggested. */
  readonly grouping?: AnalyticsGrouping;
  /** All possible values. */
  readonly choices?: readonly string[];
  /** Suggested values. */
  readonly usual?: readonly string[];
  /** The placeholder. */
  readonly hint: string;
  /** The value for display; as text where it is left out. */
  readonly show?: (value: string) => string;
}

export const FILTER_FIELDS: Readonly<Record<FilterName, FilterField>> = {
  application: {
    label: "Application",
    sign: "is",
    grouping: "application",
    hint: "Application name",
  },
  route: { label: "Route", sign: "is", grouping: "route", hint: "Path, such as /summarize" },
  variant: { label: "Variant", sign: "is", grouping: "variant", hint: "Variant name" },
  revision: { label: "Revision", sign: "is", hint: "Revision number" },
  environment: {
    label: "Environment",
    sign: "is",
    grouping: "environment",
    hint: "Environment name",
  },
  status: { label: "Status", sign: "is", choices: SPAN_STATUSES, hint: "OK, ERROR or UNSET" },
  any_error: {
    label: "Any error",
    sign: "is",
    choices: ["true", "false"],
    hint: "Whether any span of the trace failed: true or false",
  },
  spankind: { label: "Kind", sign: "is", choices: SPAN_KINDS, hint: "Span kind, such as LLM" },
  name: { label: "Name", sign: "is", grouping: "name", hint: "Full name" },
  user_id: { label: "User", sign: "is", grouping: "user_id", hint: "User id" },
  session_id: { label: "Session", sign: "is", hint: "Session id" },
  run: { label: "Run", sign: "is", hint: "Id of an evaluation run" },
  min_latency: {
    label: "Latency",
    sign: "≥",
    usual: ["100", "1000", "5000", "30000"],
    hint: "Milliseconds",
    show: withUnit((value) => `${value} ms`),
  },
  min_cost: {
    label: "Cost",
    sign: "≥",
    usual: ["0.001", "0.01", "0.1", "1"],
    hint: "US dollars",
    show: withUnit((value) => `$${value}`),
  },
  score: {
    label: "Score",
    sign: null,
    usual: ["thumbs=0", "thumbs=1", "thumbs:none"],
    hint: "Such as helpful<0.5 or helpful:none",
    show: conditionText,
  },
};

/** The conditions to suggest for scores of these names; undefined where there are none. */
export function scoreConditions(names: readonly string[] = []): readonly string[] | undefined {
  if (names.length === 0) return undefined;
  return names.flatMap((name) => [`${name}<0.5`, `${name}>=0.5`, `${name}:none`, `${name}:failed`]);
}

/** Adds the unit to a number, which stays as typed; an invalid number is shown as text. */
function withUnit(show: (value: string) => string): (value: string) => string {
  return (value) => {
    const number = Number(value);
    return Number.isFinite(number) && number >= 0 ? show(value) : shownName(value);
  };
}

const SIGNS: Readonly<Record<string, string>> = { "<=": " ≤ ", ">=": " ≥ ", ":": ": " };

/** @example conditionText("helpful<=0.5") // "helpful ≤ 0.5" */
function conditionText(value: string): string {
  const [, name = "", sign = "", rest = ""] = /^([^<>=:]*)([<>]=|[<>=:])(.*)$/s.exec(value) ?? [];
  return shownName(sign === "" ? value : `${name}${SIGNS[sign] ?? ` ${sign} `}${rest}`);
}

export const FILTER_NAMES = TRACE_FILTERS.filter(
  (name): name is FilterName => name !== "q" && name !== "traffic",
);

/** An active filter. */
export interface FilterChip {
  readonly name: FilterName;
  readonly value: string;
  /** @example "Environment is production" */
  readonly text: string;
}

/** The active filters, always in the same order. */
export function chipsOf(search: TracesSearch): readonly FilterChip[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = search[name];
    return value === undefined ? [] : [{ name, value, text: filterText(name, value) }];
  });
}

/** @example filterText("min_latency", "1000") // "Latency ≥ 1000 ms" */
export function filterText(name: FilterName, value: string): string {
  const { label, sign } = FILTER_FIELDS[name];
  return [label, sign, shownValue(name, value)].filter((part) => part !== null).join(" ");
}

/** A value for display. */
export function shownValue(name: FilterName, value: string): string {
  const { show = shownName } = FILTER_FIELDS[name];
  return show(value);
}

/** The platform's messages on invalid query parameters, by parameter. */
export function filterProblems(error: Error | null): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError) || error.status !== 422) return new Map();
  return new Map(
    error.detail.flatMap(({ loc: [place, name], msg }) =>
      place === "query" && typeof name === "string" ? [[name, msg] as const] : [],
    ),
  );
}
