import { type AddressInfo, connect, createServer, type Socket } from "node:net";

// The least that a hop costs which reads requests and answers, by a parser of its own instead of Node's HTTP server.
// Bodies and answers must have a content-length.
const idle: Socket[] = [];
const onPart = new WeakMap<Socket, (text: string) => void>();

function connected(): Socket {
  const port = Number(process.env.TARGET_PORT);
  const target = connect({ port, host: "127.0.0.1", noDelay: true }).setEncoding("latin1");
  target.on("data", (text: string) => onPart.get(target)?.(text));
  // The workflow closes one that has waited for five seconds.
  return target.on("close", () => {
    if (idle.includes(target)) idle.splice(idle.indexOf(target), 1);
  });
}

const HEAD_END = "\r\n\r\n";
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;

/** How long a message is, once its head is there. */
function lengthOf(text: string): number {
  const end = text.indexOf(HEAD_END);
  if (end < 0) return Number.POSITIVE_INFINITY;
  const [, bytes] = CONTENT_LENGTH.exec(text.slice(0, end + 2)) ?? [];
  return end + HEAD_END.length + Number(bytes ?? 0);
}

const server = createServer({ noDelay: true }, (client) => {
  client.setEncoding("latin1");
  let request = "";
  client.on("data", (text: string) => {
    request += text;
    const length = lengthOf(request);
    if (request.length < length) return;
    const end = request.indexOf(HEAD_END);
    const [first, ...fields] = request.slice(0, end).split("\r\n");
    let head = `${first}\r\n`;
    for (const field of fields) {
      const name = field.slice(0, field.indexOf(":")).toLowerCase();
      if (name !== "connection" && name !== "authorization") head += `${field}\r\n`;
    }
    const body = request.slice(end + HEAD_END.length, length);
    request = request.slice(length);
    const target = idle.pop() ?? connected();
    let answer = "";
    onPart.set(target, (part) => {
      answer += part;
      if (answer.length < lengthOf(answer)) return;
      idle.push(target);
      client.write(answer, "latin1");
    });
    target.write(`${head}\r\n${body}`, "latin1");
  });
  client.on("error", () => {});
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`);
});
