import type { IncomingMessage } from "node:http";
import type { UpstreamConnection } from "./connection-pool.ts";
import type { EnvironmentScanner } from "./environment-scanner.ts";
import type { RequestBody } from "./forwarded-request.ts";
import { HeldBytes } from "./held-bytes.ts";
import type { HoldBudget } from "./hold-budget.ts";

/** Why a body is not passed on. */
export type BodyProblem =
  /** The request names two environments, the second of them in its body. */
  | { readonly kind: "environments_disagree"; readonly names: readonly [string, string] }
  /** The body is too large to be held back until its end, and has named no environment so far. */
  | { readonly kind: "environment_too_late"; readonly mostBytes: number }
  /** Too many large bodies are held back. */
  | { readonly kind: "too_many_held"; readonly retryAfterSeconds: number };

export interface SourceListener {
  /** The environment is known: what the body names, if it is looked into. Called once. */
  onRoutable(name: string | null): void;
  onBodyProblem(problem: BodyProblem): void;
}

/**
 * The largest request that is collected and sent in one piece. A service reads that much in one go: it
 * has consumed all of it or nothing, and in the latter case the request can be retried. A body of
 * unknown length is held up to here without asking for memory.
 */
const MOST_WHOLE_BYTES = 16 * 1024;
const RETRY_AFTER_SECONDS = 5;

export interface SourceParts {
  readonly incoming: IncomingMessage;
  /** The request's head as the service gets it. */
  readonly head: string;
  readonly body: RequestBody;
  /** Finds the environment in the body; null where the body is not looked into. */
  readonly scanner: EnvironmentScanner | null;
  readonly budget: HoldBudget;
}

/**
 * Reads a request from its client and sends it to a service. Where the body may name the environment,
 * it is held back until it has.
 */
export class RequestSource {
  readonly #parts: SourceParts;
  readonly #listener: SourceListener;
  readonly #held = new HeldBytes();
  /** The request in one piece, where it is small. */
  #whole: string | undefined;
  #reservedBytes = 0;
  #stopWaiting: (() => void) | undefined;
  #hasEnded = false;
  /** What is being sent: what was held back, then what comes. */
  #sending: "nothing" | "held" | "rest" = "nothing";
  #connection: UpstreamConnection | undefined;
  #onSent = () => {};
  #onData: ((chunk: Buffer) => void) | undefined;
  #onEnd: (() => void) | undefined;

  constructor(parts: SourceParts, listener: SourceListener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  /** Whether the request is sent in one write, so that it may be sent again where none of it was read. */
  get isWhole(): boolean {
    return this.#whole !== undefined;
  }

  /** Reads as much as is needed to know the environment, and all of a small request. */
  start(): void {
    const { body, head, scanner } = this.#parts;
    if (body.kind === "none" || (body.kind === "length" && body.bytes === 0)) {
      this.#whole = head;
      this.#route();
    } else if (body.kind === "length" && body.bytes + head.length <= MOST_WHOLE_BYTES) {
      this.#collect(body.bytes);
    } else if (scanner?.outcome.kind === "searching") {
      this.#hold(scanner);
    } else {
      this.#route();
    }
  }

  /** @param onSent Told when all of it is on its way. */
  send(connection: UpstreamConnection, onSent: () => void): void {
    if (this.#whole !== undefined) {
      connection.write(this.#whole);
      onSent();
      return;
    }
    this.#connection = connection;
    this.#onSent = onSent;
    connection.write(this.#parts.head);
    this.#sending = "held";
    this.#sendHeld();
  }

  /** The service takes more. */
  continue(): void {
    if (this.#sending === "held") this.#sendHeld();
    else if (this.#sending === "rest") this.#parts.incoming.resume();
  }

  /** Ends the reading. What is left is thrown away: the client's connection may have a next request. */
  stop(): void {
    this.#sending = "nothing";
    this.#ignore();
    this.#held.clear();
    this.#release();
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    this.#parts.incoming.resume();
  }

  /** Waits for the body of a small request: a workflow can do nothing before it has it. */
  #collect(bytes: number): void {
    let text = this.#parts.head;
    let left = bytes;
    this.#listen((chunk) => {
      if (!this.#isAgreed(chunk)) return;
      text += chunk.toString("latin1");
      left -= chunk.length;
      if (left > 0) return;
      this.#whole = text;
      this.#route();
    });
  }

  /** Holds the body back until it names an environment, or cannot do so any more. */
  #hold(scanner: EnvironmentScanner): void {
    const { eachBytes } = this.#parts.budget.limits;
    const route = () => {
      this.#ignore();
      this.#parts.incoming.pause();
      this.#route();
    };
    this.#listen(
      (chunk) => {
        if (!this.#isAgreed(chunk)) return;
        this.#held.append(chunk);
        if (scanner.outcome.kind !== "searching") route();
        else if (this.#held.bytes > eachBytes) {
          this.#fail({ kind: "environment_too_late", mostBytes: eachBytes });
        } else if (this.#held.bytes > MOST_WHOLE_BYTES) this.#reserve();
      },
      () => {
        this.#hasEnded = true;
        scanner.end();
        route();
      },
    );
  }

  /** Takes the memory that the body may need, or waits for it. */
  #reserve(): void {
    const { incoming, body, budget } = this.#parts;
    if (this.#reservedBytes > 0 || this.#stopWaiting !== undefined) return;
    const { eachBytes } = budget.limits;
    const bytes = body.kind === "length" ? Math.min(body.bytes, eachBytes) : eachBytes;
    if (budget.take(bytes)) {
      this.#reservedBytes = bytes;
      return;
    }
    incoming.pause();
    const refuse = () =>
      this.#fail({ kind: "too_many_held", retryAfterSeconds: RETRY_AFTER_SECONDS });
    const stopWaiting = budget.wait(bytes, (isGranted) => {
      this.#stopWaiting = undefined;
      if (!isGranted) return refuse();
      this.#reservedBytes = bytes;
      incoming.resume();
    });
    if (stopWaiting === undefined) refuse();
    else this.#stopWaiting = stopWaiting;
  }

  #release(): void {
    if (this.#reservedBytes > 0) this.#parts.budget.give(this.#reservedBytes);
    this.#reservedBytes = 0;
  }

  #route(): void {
    const outcome = this.#parts.scanner?.outcome;
    this.#listener.onRoutable(outcome?.kind === "named" ? outcome.name : null);
  }

  /** Sends what was held back, then the rest as it comes: no faster than the service takes it. */
  #sendHeld(): void {
    for (let block = this.#held.shift(); block !== undefined; block = this.#held.shift()) {
      if (!this.#write(block)) return;
    }
    this.#release();
    if (this.#hasEnded) {
      this.#endSending();
      return;
    }
    this.#sending = "rest";
    this.#listen(
      (chunk) => {
        // A name that differs cuts the request here: without its last bytes nothing runs.
        if (this.#isAgreed(chunk) && !this.#write(chunk)) this.#parts.incoming.pause();
      },
      () => this.#endSending(),
    );
    this.#parts.incoming.resume();
  }

  /** @returns whether the service takes more at once. */
  #write(bytes: Buffer): boolean {
    const connection = this.#connection as UpstreamConnection;
    if (this.#parts.body.kind !== "chunked") return connection.write(bytes);
    connection.cork();
    connection.write(`${bytes.length.toString(16)}\r\n`);
    connection.write(bytes);
    const isRoomy = connection.write("\r\n");
    connection.uncork();
    return isRoomy;
  }

  #endSending(): void {
    const { incoming, body } = this.#parts;
    this.#sending = "nothing";
    if (body.kind === "chunked") this.#connection?.write(`0\r\n${trailersOf(incoming)}\r\n`);
    this.#onSent();
  }

  /** Looks into the next bytes. @returns false where they name another environment. */
  #isAgreed(chunk: Buffer): boolean {
    const outcome = this.#parts.scanner?.push(chunk);
    if (outcome?.kind !== "conflicting") return true;
    this.#fail({ kind: "environments_disagree", names: outcome.names });
    return false;
  }

  #fail(problem: BodyProblem): void {
    this.stop();
    this.#listener.onBodyProblem(problem);
  }

  #listen(onData: (chunk: Buffer) => void, onEnd?: () => void): void {
    const { incoming } = this.#parts;
    this.#onData = onData;
    this.#onEnd = onEnd;
    incoming.on("data", onData);
    if (onEnd !== undefined) incoming.on("end", onEnd);
  }

  #ignore(): void {
    const { incoming } = this.#parts;
    if (this.#onData !== undefined) incoming.off("data", this.#onData);
    if (this.#onEnd !== undefined) incoming.off("end", this.#onEnd);
    this.#onData = undefined;
    this.#onEnd = undefined;
  }
}

function trailersOf({ rawTrailers }: IncomingMessage): string {
  let text = "";
  for (let n = 0; n < rawTrailers.length; n += 2) {
    text += `${rawTrailers[n]}: ${rawTrailers[n + 1]}\r\n`;
  }
  return text;
}
