import type { Workspace } from "../state/workspace.ts";

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
