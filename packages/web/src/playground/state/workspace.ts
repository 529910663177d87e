import type { ConfigValues } from "../../config-form/config-values.ts";
import { changedFields } from "../../config-form/config-values.ts";
import type { InputDraft } from "../../input-form/input-draft.ts";
import type { ConfigSource } from "./config-source.ts";

/** A committed revision; 0 is a variant in which nothing is committed yet. */
export interface RevisionName {
  readonly variant: string;
  readonly revision: number;
}

/** What is edited and not committed. */
export interface Draft {
  /** What it was made from, pinned; null for the schema's defaults. */
  readonly base: RevisionName | null;
  /** Only the fields that were changed: whatever else the base has, stays. */
  readonly changes: ConfigValues;
}

/** The recorded call that a column was taken from. */
export interface Origin {
  readonly traceId: string;
  readonly spanId: string;
  /** `default@3 in production`; empty where the call named nothing. */
  readonly ranWith: string;
}

/** A configuration beside others. */
export interface Column {
  readonly id: number;
  readonly source: ConfigSource;
  readonly draft: Draft | null;
  readonly origin: Origin | null;
}

/** Inputs that are kept. */
export interface TestCase {
  readonly id: number;
  readonly name: string;
  readonly draft: InputDraft;
}

/** Everything that is set up for one route; the same for whoever opens its address. */
export interface Workspace {
  readonly columns: readonly Column[];
  readonly cases: readonly TestCase[];
}

/** A number that none of them has. */
export function freeId(taken: readonly { readonly id: number }[]): number {
  return Math.max(0, ...taken.map(({ id }) => id)) + 1;
}

/** "Case 3": the first that no case is called. */
export function freeName(cases: readonly TestCase[]): string {
  const taken = new Set(cases.map(({ name }) => name));
  let number = cases.length + 1;
  while (taken.has(`Case ${number}`)) number += 1;
  return `Case ${number}`;
}

export function columnOf(id: number, source: ConfigSource): Column {
  return { id, source, draft: null, origin: null };
}

export type WorkspaceAction =
  /** A field was edited. `base` is what the column showed before its first edit. */
  | {
      readonly kind: "edit";
      readonly column: number;
      readonly base: RevisionName | null;
      readonly baseValues: ConfigValues;
      readonly values: ConfigValues;
    }
  | { readonly kind: "revert"; readonly column: number }
  | { readonly kind: "choose"; readonly column: number; readonly source: ConfigSource }
  | { readonly kind: "add-column"; readonly source: ConfigSource }
  | { readonly kind: "copy-column"; readonly column: number }
  | { readonly kind: "remove-column"; readonly column: number }
  | { readonly kind: "committed"; readonly column: number; readonly revision: RevisionName }
  | { readonly kind: "type"; readonly case: number; readonly draft: InputDraft }
  | { readonly kind: "rename"; readonly case: number; readonly name: string }
  | { readonly kind: "add-case"; readonly draft: InputDraft }
  | { readonly kind: "copy-case"; readonly case: number }
  | { readonly kind: "remove-case"; readonly case: number }
  /** The last case cannot be removed: it is emptied. */
  | { readonly kind: "reset-cases"; readonly draft: InputDraft }
  | { readonly kind: "revert-all" }
  /** All of it becomes what it was before. */
  | { readonly kind: "restore"; readonly workspace: Workspace };

/** Whether "back" should undo it by itself; what is typed is one with what was there before. */
export function isStep({ kind }: WorkspaceAction): boolean {
  return kind !== "edit" && kind !== "type" && kind !== "rename";
}

export function reduceWorkspace(workspace: Workspace, action: WorkspaceAction): Workspace {
  const { columns, cases } = workspace;
  switch (action.kind) {
    case "edit":
      return inColumn(workspace, action.column, (column) => ({
        ...column,
        draft: draftOf(action.base, changedFields(action.baseValues, action.values)),
      }));
    case "revert":
      return inColumn(workspace, action.column, withoutDraft);
    case "choose":
      return inColumn(workspace, action.column, ({ id }) => columnOf(id, action.source));
    case "add-column":
      return { ...workspace, columns: [...columns, columnOf(freeId(columns), action.source)] };
    case "copy-column":
      return {
        ...workspace,
        columns: afterItself(columns, action.column, (column) => ({
          ...column,
          id: freeId(columns),
        })),
      };
    case "remove-column":
      return columns.length === 1
        ? workspace
        : { ...workspace, columns: columns.filter(({ id }) => id !== action.column) };
    case "committed":
      return inColumn(workspace, action.column, ({ id }) =>
        columnOf(id, { kind: "revision", ...action.revision }),
      );
    case "type":
      return inCase(workspace, action.case, (each) => ({ ...each, draft: action.draft }));
    case "rename":
      return inCase(workspace, action.case, (each) => ({ ...each, name: action.name }));
    case "add-case":
      return { ...workspace, cases: [...cases, newCase(cases, action.draft)] };
    case "copy-case":
      return {
        ...workspace,
        cases: afterItself(cases, action.case, ({ draft }) => newCase(cases, draft)),
      };
    case "remove-case":
      return cases.length === 1
        ? workspace
        : { ...workspace, cases: cases.filter(({ id }) => id !== action.case) };
    case "reset-cases":
      return { ...workspace, cases: [{ id: freeId(cases), name: "Case 1", draft: action.draft }] };
    case "revert-all":
      return { ...workspace, columns: columns.map(withoutDraft) };
    case "restore":
      // With numbers of their own, so that no output of others is shown for them.
      return {
        columns: renumbered(action.workspace.columns, columns),
        cases: renumbered(action.workspace.cases, cases),
      };
  }
}

function inColumn(workspace: Workspace, id: number, change: (column: Column) => Column): Workspace {
  const columns = workspace.columns.map((column) => (column.id === id ? change(column) : column));
  return { ...workspace, columns };
}

function inCase(workspace: Workspace, id: number, change: (one: TestCase) => TestCase): Workspace {
  return { ...workspace, cases: workspace.cases.map((one) => (one.id === id ? change(one) : one)) };
}

function afterItself<Item extends { readonly id: number }>(
  items: readonly Item[],
  id: number,
  copy: (item: Item) => Item,
): readonly Item[] {
  return items.flatMap((item) => (item.id === id ? [item, copy(item)] : [item]));
}

function renumbered<Item extends { readonly id: number }>(
  items: readonly Item[],
  taken: readonly Item[],
): readonly Item[] {
  const first = freeId(taken);
  return items.map((item, index) => ({ ...item, id: first + index }));
}

function newCase(cases: readonly TestCase[], draft: InputDraft): TestCase {
  return { id: freeId(cases), name: freeName(cases), draft };
}

/** A draft in which nothing is changed is none. */
function draftOf(base: RevisionName | null, changes: ConfigValues): Draft | null {
  return Object.keys(changes).length === 0 ? null : { base, changes };
}

/** Without its edits it is no longer what a recorded call ran with, either. */
function withoutDraft(column: Column): Column {
  return column.draft === null ? column : { ...column, draft: null, origin: null };
}

/** The same text for workspaces with the same columns and cases, however they are numbered. */
export function workspaceText({ columns, cases }: Workspace): string {
  const numberless = ({ id: _id, ...rest }: { readonly id: number }) => rest;
  return JSON.stringify([columns.map(numberless), cases.map(numberless)], sorted);
}

/** Objects with their keys in order. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
