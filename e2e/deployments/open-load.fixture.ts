import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

export interface OpenLoadOptions {
  readonly path: string;
  readonly body: object;
  readonly perSecond: number;
  /** How many calls may wait for their answers; what comes beyond is put off, so that memory is bounded. */
  readonly mostWaiting: number;
  /** What is wrong with an answer; undefined where it is right. */
  readonly faultOf: (status: number, body: string) => string | undefined;
}

/** Calls that arrive at a constant rate, answered or not, spread over servers that come and go. */
export interface OpenLoad {
  readonly answered: number;
  /** Calls that were in hand at a server that was killed. */
  readonly brokenOff: number;
  readonly putOff: number;
  /** What was not as expected, with the address of the server. */
  readonly failures: readonly string[];
  join(url: string): void;
  /** No further call goes there. A server that is killed breaks off those that it has. */
  leave(url: string, how: "drains" | "is killed"): void;
  /** Resolves when the server has no call in hand. */
  drained(url: string): Promise<void>;
  /** Resolves when so many more were answered, or one has failed. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** A call that hangs is a failure, too. A busy machine is many times slower. */
const PATIENCE_MS = 60_000;

interface Target {
  readonly url: string;
  readonly agent: Agent;
  calls: number;
  isKilled: boolean;
}

export function openLoad(options: OpenLoadOptions): OpenLoad {
  const targets = new Map<string, Target>();
  const left = new Map<string, Target>();
  const failures: string[] = [];
  const counts = { sent: 0, answered: 0, brokenOff: 0, putOff: 0, waiting: 0 };
  let isStopped = false;

  const call = async (target: Target): Promise<void> => {
    target.calls++;
    counts.waiting++;
    try {
      const { status, body } = await post(target, options);
      const fault = options.faultOf(status, body);
      if (fault === undefined) counts.answered++;
      else failures.push(`${target.url}: ${fault}`);
    } catch (error) {
      if (target.isKilled) counts.brokenOff++;
      else failures.push(`${target.url}: ${String(error)}`);
    }
    target.calls--;
    counts.waiting--;
  };
  const run = async (): Promise<void> => {
    const began = performance.now();
    let due = 0;
    while (!isStopped) {
      const now = Math.floor(((performance.now() - began) * options.perSecond) / 1000);
      const servers = [...targets.values()];
      for (; due < now; due++) {
        const target = servers[counts.sent % servers.length];
        if (target === undefined || counts.waiting >= options.mostWaiting) counts.putOff++;
        else {
          counts.sent++;
          void call(target);
        }
      }
      await pause(5);
    }
  };
  const running = run();
  return {
    get answered() {
      return counts.answered;
    },
    get brokenOff() {
      return counts.brokenOff;
    },
    get putOff() {
      return counts.putOff;
    },
    failures,
    join(url) {
      const agent = new Agent({ keepAlive: true, scheduling: "fifo" });
      targets.set(url, { url, agent, calls: 0, isKilled: false });
    },
    leave(url, how) {
      const target = targets.get(url);
      if (target === undefined) return;
      targets.delete(url);
      left.set(url, target);
      target.isKilled = how === "is killed";
    },
    async drained(url) {
      const target = left.get(url) ?? targets.get(url);
      while (target !== undefined && target.calls > 0) await pause(5);
    },
    async more(count) {
      const enough = counts.answered + count;
      while (counts.answered < enough && failures.length === 0) await pause(5);
    },
    async stop() {
      isStopped = true;
      await running;
      while (counts.waiting > 0) await pause(5);
      for (const { agent } of [...targets.values(), ...left.values()]) agent.destroy();
    },
  };
}

function post(
  { url, agent }: Target,
  { path, body }: OpenLoadOptions,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const outgoing = request(url + path, { method: "POST", agent, headers, signal }, (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, body: answer }),
        reject,
      );
    });
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}
