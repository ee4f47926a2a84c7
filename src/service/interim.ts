import type { buildConnector } from "undici";

type Connector = buildConnector.connector;

const mostBytes = 16 * 1024;

/** RFC 9110, 15.2, has a client read past a `100 Continue`; undici would break the connection off. */
export function withoutContinue(connect: Connector): Connector {
  return (options, callback) =>
    connect(options, (...connected) => {
      const [, socket] = connected;
      if (socket) leaveOutContinue(socket);
      callback(...connected);
    });
}

function leaveOutContinue(socket: { push: (chunk: Buffer | null) => boolean }): void {
  const push = socket.push.bind(socket);
  let received: Buffer = Buffer.alloc(0);
  const passOn = (end?: null): boolean => {
    socket.push = push;
    const isRoom = received.length === 0 || push(received);
    return end === null ? push(null) : isRoom;
  };
  socket.push = (chunk) => {
    if (chunk === null) return passOn(null);
    received = Buffer.concat([received, chunk]);
    for (;;) {
      if (!isStartOfContinue(received)) return passOn();
      const end = received.indexOf("\r\n\r\n");
      if (end < 0) return received.length < mostBytes || passOn();
      received = received.subarray(end + 4);
    }
  };
}

function isStartOfContinue(bytes: Buffer): boolean {
  const text = bytes.toString("latin1", 0, 13);
  return text.length < 13 ? "HTTP/1.1 100".startsWith(text) : /^HTTP\/1\.1 100[ \r]/.test(text);
}
