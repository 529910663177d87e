/**
 * Every `type` that an issue of a configuration has, and what it means. A type is a promise to
 * clients: it is never renamed. docs/reference/errors.md lists them.
 */
export const CONFIG_ISSUE_TYPES = {
  object_type: "A configuration, or a field that is an object, is an object of fields.",
  list_type: "The field takes a list.",
  string_type: "The field takes a string.",
  int_type: "The field takes a whole number of at most 53 bits.",
  float_type: "The field takes a finite number.",
  bool_type: "The field takes `true` or `false`.",
  greater_than_equal: "The number is below the field's `ge`.",
  greater_than: "The number is not above the field's `gt`.",
  less_than_equal: "The number is above the field's `le`.",
  less_than: "The number is not below the field's `lt`.",
  choice: "The field takes one of its choices, and this is none of them.",
  too_few_items: "The list has fewer items than the field takes.",
  too_many_items: "The list has more items than the field takes.",
  unknown_variable: "The text has a `{{variable}}` that was not declared.",
  missing_field: "The object lacks a field that has no default.",
  custom: "A check of the configuration's own zod schema failed.",
  unknown_field: "The configuration has no field of this name.",
} as const satisfies Record<string, string>;

export type ConfigIssueType = keyof typeof CONFIG_ISSUE_TYPES;
