// The counter on Node's own HTTP server: counter.js PORT
const http = require("node:http");

let count = 0;
const polls = new Set();
const streams = new Set();

const state = () => JSON.stringify({ text: String(count), enabled: count > 0, alpha: count > 0 ? 1 : 0.5 });
const delta = () =>
  JSON.stringify({
    kind: "delta",
    cursor: String(count),
    changes: [{ seq: count, viewModel: "counter", output: "text", value: String(count) }],
  });
const answer = (response, body) =>
  response
    .writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store", "Content-Length": body.length })
    .end(body);

http
  .createServer((request, response) => {
    const url = request.url;
    if (request.method === "POST") {
      count += 1;
      const body = delta();
      for (const poll of polls) answer(poll, body);
      polls.clear();
      for (const stream of streams) stream.write(`event: delta\nid: ${count}\ndata: ${body}\n\n`);
      answer(response, state());
    } else if (url.startsWith("/changes?since=")) {
      if (url !== `/changes?since=${count}`) return answer(response, delta());
      polls.add(response);
      response.on("close", () => polls.delete(response));
    } else if (url === "/changes") {
      response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
      streams.add(response);
      response.on("close", () => streams.delete(response));
    } else {
      answer(response, state());
    }
  })
  .listen({ port: Number(process.argv[2]), host: "127.0.0.1", backlog: 4096 });
