import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

// The least that a hop by Node's HTTP server costs: no keys, routing, timeouts, retries or log. On its other
// side are bare sockets, as in the gateway. Answers must have a content-length.
const idle: Socket[] = [];

function connected(): Socket {
  const port = Number(process.env.TARGET_PORT);
  const target = connect({ port, host: "127.0.0.1", noDelay: true }).setEncoding("latin1");
  // The workflow closes one that has waited for five seconds.
  return target.on("close", () => {
    if (idle.includes(target)) idle.splice(idle.indexOf(target), 1);
  });
}

const server = createServer((incoming, outgoing) => {
  let head = `${incoming.method} ${incoming.url} HTTP/1.1\r\n`;
  const { rawHeaders } = incoming;
  for (let n = 0; n < rawHeaders.length; n += 2)
    head += `${rawHeaders[n]}: ${rawHeaders[n + 1]}\r\n`;
  let body = "";
  incoming.setEncoding("latin1");
  incoming.on("data", (text: string) => {
    body += text;
  });
  incoming.on("end", () => {
    const target = idle.pop() ?? connected();
    let answer = "";
    target.on("data", (text: string) => {
      answer += text;
      const end = answer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [, ...lines] = answer.slice(0, end).split("\r\n");
      const headers = lines.map((line) => line.split(": ", 2) as [string, string]);
      const length = headers.find(([name]) => name.toLowerCase() === "content-length")?.[1];
      if (answer.length < end + 4 + Number(length)) return;
      target.removeAllListeners("data");
      idle.push(target);
      outgoing.writeHead(200, headers.flat()).end(answer.slice(end + 4), "latin1");
    });
    target.write(`${head}\r\n${body}`, "latin1");
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`);
});
