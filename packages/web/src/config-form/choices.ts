import type { ConfigFieldSchema } from "@agate/protocol";

/** The choices of a dropdown under one heading; null has none. */
export interface ChoiceGroup {
  readonly name: string | null;
  readonly choices: readonly string[];
}

/**
 * The choices of a field in the order of their declaration. A choice that is in several groups is shown
 * in each; it is the same value, wherever it is chosen.
 */
export function choiceGroups(field: ConfigFieldSchema): readonly ChoiceGroup[] {
  const groups = Object.entries(field["x-ag-groups"] ?? {}).map(([name, choices]) => ({
    name,
    choices: [...new Set(choices)],
  }));
  const grouped = new Set(groups.flatMap(({ choices }) => choices));
  const others = [...new Set(field.enum)].filter(
    (choice) => choice !== null && !grouped.has(choice),
  ) as string[];
  return others.length === 0 ? groups : [...groups, { name: null, choices: others }];
}
