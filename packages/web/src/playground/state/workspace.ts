import type { ConfigValues } from "../../config-form/config-values.ts";
import { changedFields } from "../../config-form/config-values.ts";
import type { InputDraft } from "../../input-form/input-draft.ts";
import type { ConfigSource } from "./config-source.ts";

/** A revision; 0 stands for a variant without commits. */
export interface RevisionName {
  readonly variant: string;
  readonly revision: number;
}

/** Uncommitted edits. */
export interface Draft {
  /** The revision that it is based on; null for the schema defaults. */
  readonly base: RevisionName | null;
  /** Only the changed fields; the others come from the base. */
  readonly changes: ConfigValues;
}

/** The recorded call that a column repeats. */
export interface Origin {
  readonly traceId: string;
  readonly spanId: string;
  /** `default@3 in production`; empty if the call names neither. */
  readonly ranWith: string;
}

/** One of the compared configurations. */
export interface Column {
  readonly id: number;
  readonly source: ConfigSource;
  readonly draft: Draft | null;
  readonly origin: Origin | null;
}

/** Named inputs. */
export interface TestCase {
  readonly id: number;
  readonly name: string;
  readonly draft: InputDraft;
}

/** The columns and test cases of a route. A link holds all of it. */
export interface Workspace {
  readonly columns: readonly Column[];
  readonly cases: readonly TestCase[];
}

/** An unused id. */
export function freeId(taken: readonly { readonly id: number }[]): number {
  return Math.max(0, ...taken.map(({ id }) => id)) + 1;
}

/** An unused name: "Case 3". */
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
  /** A field was edited. `base` is the revision that the column showed before its first edit. */
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
  /** Replaces all cases by an empty one. */
  | { readonly kind: "reset-cases"; readonly draft: InputDraft }
  | { readonly kind: "revert-all" }
  /** Replaces the workspace by one that was set aside. */
  | { readonly kind: "restore"; readonly workspace: Workspace };

/** Whether an action gets its own history entry, for the back button to undo. Typing does not. */
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
      // With new ids, so that the runs of the replaced columns and cases are not shown for them.
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

/** Null without changes. */
function draftOf(base: RevisionName | null, changes: ConfigValues): Draft | null {
  return Object.keys(changes).length === 0 ? null : { base, changes };
}

/** Without its edits, the column no longer repeats the recorded call. */
function withoutDraft(column: Column): Column {
  return column.draft === null ? column : { ...column, draft: null, origin: null };
}

/** The same text for workspaces with the same columns and cases, ids aside. */
export function workspaceText({ columns, cases }: Workspace): string {
  const withoutId = ({ id: _id, ...rest }: { readonly id: number }) => rest;
  return JSON.stringify([columns.map(withoutId), cases.map(withoutId)], sorted);
}

/** Sorts the keys of objects. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
