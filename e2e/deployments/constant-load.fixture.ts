import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

/** What came of the calls so far. */
export interface Load {
  /** How many were answered as expected. */
  readonly answered: number;
  /** What was not as expected: a status, an error, a body. */
  readonly failures: readonly string[];
  /** Resolves when so many more were answered. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Calls a route over and over: by clients that keep their connections, and by clients that open one
 * for each call.
 *
 * @param isGood Whether an answer's body is one of those that are right.
 */
export function constantLoad(
  url: string,
  options: {
    readonly body: object;
    readonly keeping: number;
    readonly opening: number;
    readonly isGood: (body: string) => boolean;
  },
): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: options.keeping });
  const failures: string[] = [];
  let answered = 0;
  let isStopped = false;
  const once = async (connection: Agent | false): Promise<void> => {
    try {
      const { status, body } = await call(url, options.body, connection);
      if (status === 200 && options.isGood(body)) answered++;
      else failures.push(`${status} ${body}`);
    } catch (error) {
      failures.push(String(error));
    }
  };
  const client = async (connection: Agent | false): Promise<void> => {
    while (!isStopped) await once(connection);
  };
  const clients = [
    ...Array.from({ length: options.keeping }, () => client(agent)),
    ...Array.from({ length: options.opening }, () => client(false)),
  ];
  return {
    get answered() {
      return answered;
    },
    failures,
    async more(count) {
      const enough = answered + count;
      while (answered < enough && failures.length === 0) await once(agent);
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

function call(
  url: string,
  body: object,
  agent: Agent | false,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const outgoing = request(url, { method: "POST", agent, headers }, (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode, body: answer }),
        reject,
      );
    });
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}
