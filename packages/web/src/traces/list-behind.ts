import { useLocation } from "@tanstack/react-router";
import { parseTracesSearch, type TracesSearch } from "./traces-search.ts";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The list that a trace was opened from. */
    list?: TracesSearch;
  }
}

/** The list that this trace was opened from, to go back to; all traces, where it was by itself. */
export function useListBehind(): Readonly<Record<string, string>> {
  const list = useLocation({ select: ({ state }) => state.list });
  return { ...parseTracesSearch({ ...list }) };
}
