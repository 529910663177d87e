/** The address of the difference between two revisions. */
export interface DiffSearch {
  readonly from?: string;
  readonly to?: string;
}

export function parseDiffSearch({ from, to }: Record<string, unknown>): DiffSearch {
  return { ...revision("from", from), ...revision("to", to) };
}

function revision(name: "from" | "to", value: unknown): DiffSearch {
  return typeof value === "string" && /^\d{1,9}$/.test(value) ? { [name]: value } : {};
}
