import type { buildConnector } from "undici";

type Connector = buildConnector.connector;

const mostBytes = 16 * 1024;

/** RFC 9110, 15.2, has a client read past a `100 Continue`; undici would break the connection off. */
export function withoutContinue(connect: Connector): Connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) leaveOutContinue(socket);
      callback(...result);
    });
}

function leaveOutContinue(socket: { push: (chunk: Buffer | null) => boolean }): void {
  const push = socket.push.bind(socket);
  let bytes: Buffer = Buffer.alloc(0);
  const passOn = (end?: null): boolean => {
    socket.push = push;
    const isRoom = bytes.length === 0 || push(bytes);
    return end === null ? push(null) : isRoom;
  };
  socket.push = (chunk) => {
    if (chunk === null) return passOn(null);
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      if (!isStartOfContinue(bytes)) return passOn();
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return bytes.length < mostBytes || passOn();
      bytes = bytes.subarray(end + 4);
    }
  };
}

function isStartOfContinue(bytes: Buffer): boolean {
  const text = bytes.toString("latin1", 0, 13);
  return text.length < 13 ? "HTTP/1.1 100".startsWith(text) : /^HTTP\/1\.1 100[ \r]/.test(text);
}
