// Accepts every message, over http and https on loopback: node server.js KEY CERTIFICATE. Prints its ports as JSON: two
// that answer at once, and two slow ones. It reads just enough HTTP to answer, so that the client is what is measured.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";

const [key, cert] = process.argv.slice(2).map((path) => readFileSync(path));
let count = 0;

const slowAnswerMs = 20;

const atOnce = (socket) => serve(socket, (respond) => respond());
const slowly = (socket) => serve(socket, (respond) => setTimeout(() => respond(), slowAnswerMs));
const ports = {
  http: await listen(createServer(atOnce)),
  https: await listen(createTlsServer({ key, cert }, atOnce)),
  slowHttp: await listen(createServer(slowly)),
  slowHttps: await listen(createTlsServer({ key, cert }, slowly)),
};
process.stdout.write(JSON.stringify(ports));

async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}

function serve(socket, whenDue) {
  let unread = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    unread += chunk.toString("latin1");
    for (;;) {
      const headEnd = unread.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const head = unread.slice(0, headEnd);
      const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (unread.length < end) return;
      const closes = /connection: close/i.test(head);
      const body = JSON.stringify(answer(unread.slice(headEnd, end)));
      unread = unread.slice(end);
      const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
      whenDue(() => {
        socket.write(`HTTP/1.1 200 OK\r\n${headers}${closes ? "connection: close\r\n" : ""}\r\n${body}`);
        if (closes) socket.end();
      });
    }
  });
}

function answer(body) {
  const receipt = {
    success: true,
    messageId: `msg_${count++}`,
    segments: 1,
    totalCredits: 1,
    totalCostKes: 0.8,
  };
  const to = /"to":"([^"]*)"/.exec(body)?.[1];
  return { ...receipt, newBalance: 99, status: "queued", to, senderId: "ACME" };
}
