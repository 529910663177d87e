import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { MODEL } from "./base-model.ts";

/** A class derived from BaseModel. */
export interface ModelDeclaration {
  readonly [MODEL]: true;
  new (values?: never): object;
}

/**
 * A zod object, of zod 4, `zod/mini` or `zod/v4`; zod itself is not imported. Objects and lists may be
 * inside of it, optional and nullable fields, and `ag.Messages`. The groups of a grouped choice are
 * metadata of a string or an enum, under the name `groups`.
 *
 * @example
 * z.object({
 *   temperature: z.number().min(0).max(2).default(0.7),
 *   model: z.string().meta({ groups: supportedLlmModels }).default("gpt-5-mini"),
 * });
 */
export interface ZodObjectDeclaration {
  readonly _zod: {
    readonly def: { readonly type: "object"; readonly shape: object };
    readonly input: object;
    readonly output: object;
  };
  readonly "~standard": StandardSchemaV1.Props;
}

/** What a configuration may be declared with: contract 2.4, or zod. */
export type ConfigDeclaration = ModelDeclaration | ZodObjectDeclaration;

/**
 * The configuration that a function is given.
 *
 * @example
 * type Config = ag.InferConfig<typeof SummarizeConfig>; // SummarizeConfig
 */
export type InferConfig<Declaration extends ConfigDeclaration> =
  Declaration extends ZodObjectDeclaration
    ? Declaration["_zod"]["output"]
    : Declaration extends new (
          values?: never,
        ) => infer Config
      ? Config
      : never;

/**
 * Makes a zod object with a field that has no default a compile error, where a parameter is of type
 * `Declaration & EveryFieldDefaults<Declaration>`. For a BaseModel class, `Field` does so itself.
 */
export type EveryFieldDefaults<Declaration> = Declaration extends ZodObjectDeclaration
  ? WithoutDefault<Declaration["_zod"]["input"]> extends never
    ? unknown
    : { readonly "every field of a configuration needs a default": never }
  : unknown;

/** The fields that have to be given. An object needs no default where all of its fields have one. */
type WithoutDefault<Input> = {
  [Name in keyof Input]-?: Record<never, never> extends Pick<Input, Name>
    ? never
    : Input[Name] extends readonly unknown[]
      ? Name
      : Input[Name] extends object
        ? WithoutDefault<Input[Name]>
        : Name;
}[keyof Input];
