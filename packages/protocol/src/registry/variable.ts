import { z } from "zod";

/** A variable of an environment, as it can be read: never with the value of a secret. */
export interface Variable {
  readonly name: string;
  readonly secret: boolean;
  /** Of a plain variable; null for a secret. */
  readonly value: string | null;
  /** `unreadable`: a secret whose key is lost. It has to be set again. */
  readonly status: "set" | "unreadable";
  /** The change of the environment's variables that set it. */
  readonly version: number;
  readonly updated_by: string;
  readonly updated_at: string;
}

/** What happened to a variable. */
const VARIABLE_ACTIONS = ["set", "unset"] as const;
export type VariableAction = (typeof VARIABLE_ACTIONS)[number];

export interface VariableHistoryEntry {
  readonly name: string;
  readonly action: VariableAction;
  readonly version: number;
  readonly by: string;
  readonly at: string;
}

/** The variables of an environment, and how they came about. */
export interface EnvironmentVariables {
  /** The number of the last change; 0 before the first. */
  readonly version: number;
  /** By name. */
  readonly items: readonly Variable[];
  /** The last changes, newest first. */
  readonly history: readonly VariableHistoryEntry[];
}

const version = z.int().nonnegative().meta({
  description:
    "1, 2, 3 … for each change of the environment's variables; many names are one change.",
});

export const environmentVariablesSchema: z.ZodType<EnvironmentVariables> = z
  .strictObject({
    version: version.meta({ description: "The number of the last change; 0 before the first." }),
    items: z.array(
      z.strictObject({
        name: z.string(),
        secret: z.boolean(),
        value: z
          .string()
          .nullable()
          .meta({ description: "Of a plain variable. A secret's value is never answered." }),
        status: z.enum(["set", "unreadable"]).meta({
          description: "`unreadable`: a secret whose key this server lacks. Set it again.",
        }),
        version,
        updated_by: z.string().meta({ description: "Name of the key, or `local`." }),
        updated_at: z.iso.datetime(),
      }),
    ),
    history: z
      .array(
        z.strictObject({
          name: z.string(),
          action: z.enum(VARIABLE_ACTIONS),
          version,
          by: z.string(),
          at: z.iso.datetime(),
        }),
      )
      .meta({ description: "The last 100 changes of a name, newest first." }),
  })
  .meta({
    id: "EnvironmentVariables",
    examples: [
      {
        version: 2,
        items: [
          {
            name: "OPENAI_API_KEY",
            secret: true,
            value: null,
            status: "set",
            version: 2,
            updated_by: "ci",
            updated_at: "2026-11-15T10:00:00.000Z",
          },
        ],
        history: [
          {
            name: "OPENAI_API_KEY",
            action: "set",
            version: 2,
            by: "ci",
            at: "2026-11-15T10:00:00.000Z",
          },
        ],
      },
    ],
  });

/** How many secrets were encrypted again. */
export interface RekeyResult {
  readonly rekeyed: number;
  /** Secrets whose key is lost: they stay as they are. */
  readonly unreadable: number;
}

export const rekeyResultSchema: z.ZodType<RekeyResult> = z
  .strictObject({ rekeyed: z.int().nonnegative(), unreadable: z.int().nonnegative() })
  .meta({ id: "RekeyResult", examples: [{ rekeyed: 4, unreadable: 0 }] });
