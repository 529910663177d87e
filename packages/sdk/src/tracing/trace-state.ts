import type { TraceState as OtelTraceState } from "@opentelemetry/api";

const MOST_MEMBERS = 32;
const MOST_CHARACTERS = 512;
const KEY = /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})$/;
// Printable, without a comma and an equals sign, and without a space at the end.
const VALUE = /^[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

type Members = ReadonlyMap<string, string>;

/**
 * What other tracing systems send along with a trace, as the header `tracestate` has it: keys and values,
 * the latest first. Members that are invalid or beyond the limits are left out.
 */
export class TraceState implements OtelTraceState {
  readonly #members: Members;

  private constructor(members: Members) {
    this.#members = members;
  }

  static of(header: string): TraceState {
    const members = new Map<string, string>();
    let characters = -1;
    for (const text of header.split(",")) {
      const member = text.trim();
      const [key = "", value = "", ...rest] = member.split("=");
      const sum = characters + 1 + member.length;
      if (rest.length > 0 || !isMember(key, value) || sum > MOST_CHARACTERS) continue;
      members.set(key, value);
      characters = sum;
      if (members.size === MOST_MEMBERS) break;
    }
    return new TraceState(members);
  }

  get(key: string): string | undefined {
    return this.#members.get(key);
  }

  /** Unchanged where the member is invalid or has no room. */
  set(key: string, value: string): TraceState {
    const changed = new TraceState(new Map([[key, value], ...this.#without(key)]));
    const fits =
      changed.#members.size <= MOST_MEMBERS && changed.serialize().length <= MOST_CHARACTERS;
    return isMember(key, value) && fits ? changed : this;
  }

  unset(key: string): TraceState {
    return new TraceState(new Map(this.#without(key)));
  }

  serialize(): string {
    return Array.from(this.#members, (member) => member.join("=")).join(",");
  }

  #without(key: string): [string, string][] {
    return [...this.#members].filter(([each]) => each !== key);
  }
}

function isMember(key: string, value: string): boolean {
  return KEY.test(key) && VALUE.test(value);
}
