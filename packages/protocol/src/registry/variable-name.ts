const LONGEST_NAME = 128;

/** Why a variable cannot have this name; undefined where it can. */
export function variableNameFault(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return `Must have at most ${LONGEST_NAME} characters`;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return "Must be letters, digits and _, and begin with no digit";
  }
  if (/^(?:AGATE_.*|NODE_OPTIONS|LD_.*|PORT|HOST)$/.test(name)) {
    return "Agate sets it, or it changes how Node starts: it cannot be set";
  }
  return undefined;
}
