import { DEV_BUILD, type LogLine } from "@agate/protocol";
import { DEV_ENVIRONMENT } from "./register-app.ts";

/** How many lines are buffered until the application is known; older ones are dropped. */
const MOST_WAITING = 1000;

/**
 * What the program prints, for `agate logs`. The log belongs to the application, which is known when
 * the program has told its name: until then lines wait.
 */
export class DevLog {
  readonly #addLine: (applicationId: string, line: LogLine) => void;
  #applicationId: string | undefined;
  #waiting: LogLine[] = [];

  constructor(addLine: (applicationId: string, line: LogLine) => void) {
    this.#addLine = addLine;
  }

  add(stream: LogLine["stream"], text: string): void {
    const time = new Date().toISOString();
    const line = { time, build: DEV_BUILD, environment: DEV_ENVIRONMENT, stream, line: text };
    if (this.#applicationId !== undefined) {
      this.#addLine(this.#applicationId, line);
      return;
    }
    this.#waiting.push(line);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
  }

  /** From now on lines belong to this application, those that wait too. */
  openFor(applicationId: string): void {
    this.#applicationId = applicationId;
    for (const line of this.#waiting) this.#addLine(applicationId, line);
    this.#waiting = [];
  }
}
