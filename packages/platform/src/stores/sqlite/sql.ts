import type { SQLInputValue } from "node:sqlite";

/** SQL with its parameters, in order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

/** The table that a list reads: `t` is a row of `traces`, `p` one of `spans`. */
export type ListedTable = "t" | "p";

/** Conditions that must all hold. */
export function allOf(conditions: readonly Sql[]): Sql {
  return {
    text: ["TRUE", ...conditions.map(({ text }) => text)].join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}
