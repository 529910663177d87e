const LONGEST_NAME = 128;
const RESERVED = "AGATE_.*|NODE_OPTIONS|LD_.*|PORT|HOST";

/** A variable's name, as JSON Schema. */
export const VARIABLE_NAME_SCHEMA = {
  pattern: `^(?!(?:${RESERVED})$)[A-Za-z_][A-Za-z0-9_]*$`,
  maxLength: LONGEST_NAME,
} as const;

/** Why a variable cannot have this name; undefined where it can. */
export function variableNameFault(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return `Must have at most ${LONGEST_NAME} characters`;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return "Must be letters, digits and _, and begin with no digit";
  }
  if (new RegExp(`^(?:${RESERVED})$`).test(name)) {
    return "Agate sets it, or it changes how Node starts: it cannot be set";
  }
  return undefined;
}
