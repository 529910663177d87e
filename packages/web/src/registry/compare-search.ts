/** The compared configurations: `default`, `default@3`, `env:production`. */
export interface CompareSearch {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export function parseCompareSearch({ from, to }: Record<string, unknown>): CompareSearch {
  return {
    ...(typeof from === "string" && { from }),
    ...(typeof to === "string" && { to }),
  };
}
