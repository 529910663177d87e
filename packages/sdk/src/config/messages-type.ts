import { shownValue } from "@agate/protocol";
import type { ConfigField, ListType } from "./config-field.ts";
import type { DeclarationError } from "./declaration-error.ts";

/** The roles of a message that a prompt can begin with; a tool's answer needs the call that it answers. */
export const MESSAGE_ROLES = Object.freeze(["system", "user", "assistant"] as const);

/**
 * A list of messages as every other part sees it: a list of objects.
 *
 * @throws what `fail` makes of variables that are no names.
 */
export function messagesType(
  variables: unknown,
  fail: (message: string) => DeclarationError,
): ListType {
  const role: ConfigField = {
    kind: "choice",
    name: "role",
    default: undefined,
    isRequired: true,
    choices: MESSAGE_ROLES,
  };
  const content: ConfigField = {
    kind: "str",
    name: "content",
    default: undefined,
    isRequired: true,
    variables: readVariables(variables, fail),
  };
  return { kind: "messages", items: { kind: "object", fields: [role, content] } };
}

function readVariables(
  variables: unknown,
  fail: (message: string) => DeclarationError,
): readonly string[] | undefined {
  if (variables === undefined) return undefined;
  if (!Array.isArray(variables)) {
    throw fail(`variables is ${shownValue(variables)}. Write a list of names.`);
  }
  for (const name of variables) {
    if (typeof name !== "string" || !/^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)) {
      throw fail(
        `variables has ${shownValue(name)}. A variable is a name such as "topic", without braces.`,
      );
    }
  }
  return Object.freeze([...new Set(variables as string[])]);
}
