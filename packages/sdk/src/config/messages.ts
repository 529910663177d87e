import { shownValue } from "@agate/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ConfigField, ListType } from "./config-schema.ts";
import { copyData } from "./copy-data.ts";
import { DeclarationError } from "./declaration-error.ts";
import type { FieldType } from "./field.ts";
import { createFieldReader, type FieldReader } from "./field-reader.ts";

const MARKER = Symbol.for("agate.sdk.messages");

/** Carries the names of the variables in types; no value has it. */
declare const VARIABLES: unique symbol;

/**
 * A message of a prompt, as the APIs of chat models take it.
 *
 * @example
 * const message: ag.Message = { role: "user", content: "Summarize {{text}}." };
 */
export interface Message {
  role: (typeof MESSAGE_ROLES)[number];
  content: string;
}

/** The messages of a prompt, whose contents have these `{{variables}}`. */
export type MessageList<Variables extends string = string> = Message[] & {
  readonly [VARIABLES]?: Variables;
};

/** `ag.Messages()`: the type of a field of a BaseModel class, and a schema inside of a zod object. */
export interface MessagesType<Variables extends string, Presence extends "optional" | undefined>
  extends FieldType<MessageList<Variables>, "messages"> {
  readonly variables: readonly Variables[] | undefined;
  readonly "~standard": StandardSchemaV1.Props<readonly Message[], MessageList<Variables>>;
  readonly _zod: {
    readonly input: readonly Message[];
    readonly output: MessageList<Variables>;
    readonly optin: Presence;
    readonly optout: undefined;
  };
}

export interface MessagesOptions<Names extends readonly string[]> {
  /** The variables that contents may have; any, where they are not named. */
  readonly variables?: Names | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/**
 * A prompt as a list of messages with `{{variables}}`; an editor of messages in the playground. It is
 * rendered with `ag.render`.
 *
 * @example
 * class SummarizeConfig extends ag.BaseModel {
 *   prompt = ag.Field(ag.Messages({ variables: ["text"] }), {
 *     default: [{ role: "user", content: "Summarize: {{text}}" }],
 *   });
 * }
 */
export function Messages<const Names extends readonly string[] = readonly string[]>(
  options: MessagesOptions<Names> & { readonly default: readonly Message[] },
): MessagesType<Names[number], "optional">;
export function Messages<const Names extends readonly string[] = readonly string[]>(
  options?: MessagesOptions<Names>,
): MessagesType<Names[number], undefined>;
export function Messages(
  options: MessagesOptions<readonly string[]> & { readonly default?: readonly Message[] } = {},
): MessagesType<string, "optional" | undefined> {
  const { variables, title, description } = options;
  const check = createMessagesCheck(variables);
  const type = {
    [MARKER]: true,
    kind: "messages" as const,
    variables,
    meta: () => ({ title, description }),
    "~standard": {
      version: 1 as const,
      vendor: "agate",
      validate: (value: unknown) => {
        const { messages, issues } = check(value);
        return issues.length === 0 ? { value: messages as MessageList } : { issues };
      },
    },
  };
  const zod = zodInternals(type, check, options.default);
  // Of zod's internals only those are in the type that its inference reads.
  return { ...type, _zod: zod } as unknown as MessagesType<string, "optional" | undefined>;
}

export function isMessagesType(value: object): boolean {
  return MARKER in value;
}

type Check = (value: unknown) => { messages: unknown; issues: readonly StandardSchemaV1.Issue[] };

function createMessagesCheck(variables: readonly string[] | undefined): Check {
  let read: FieldReader | undefined;
  return (value) => {
    read ??= createFieldReader([
      {
        ...messagesType(variables, (message) => new DeclarationError(`ag.Messages: ${message}`)),
        name: "messages",
        default: undefined,
      },
    ]);
    const { given, issues } = read({ messages: value ?? null }, { unknownFields: "refuse" });
    const relative = issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
    return { messages: given[0], issues: relative };
  };
}

/** What zod asks of a schema that it finds inside of an object. */
function zodInternals(type: object, check: Check, initial: readonly Message[] | undefined) {
  const hasDefault = initial !== undefined;
  const bare = { ...type, _zod: { def: { type: "messages" } } };
  return {
    def: hasDefault
      ? { type: "default", innerType: bare, defaultValue: initial }
      : { type: "messages" },
    traits: new Set(["$ZodType"]),
    bag: {},
    optin: hasDefault ? "optional" : undefined,
    optout: undefined,
    run(payload: { value: unknown; issues: object[] }) {
      if (payload.value === undefined && hasDefault) {
        payload.value = copyData(initial);
        return payload;
      }
      const { messages, issues } = check(payload.value);
      for (const { path = [], message } of issues) {
        payload.issues.push({ code: "custom", path: [...path], message, input: payload.value });
      }
      payload.value = messages;
      return payload;
    },
  };
}

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
