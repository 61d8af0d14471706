// Loaded before the playground: a server that names no host listens on loopback, not on every interface.
const { Server } = require("node:net");

const HOST = "127.0.0.1";
const { listen } = Server.prototype;

function isPort(value) {
  return typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value));
}

Server.prototype.listen = function listenOnLoopback(where, ...rest) {
  if (isPort(where) && typeof rest[0] !== "string") {
    return listen.call(this, where, HOST, ...rest);
  }
  if (where !== null && typeof where === "object" && where.port !== undefined && !where.host) {
    return listen.call(this, { ...where, host: HOST }, ...rest);
  }
  return listen.call(this, where, ...rest);
};
