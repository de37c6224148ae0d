// For authors of other stores on Redis: the common parts of the pool and a ledger.
export { isMempoolError } from 'mempool-core';
export { Connection, type ConnectionOptions, type RunContext } from './connection/connection.ts';
export { refuseMode, tryCommands } from './connection/inspect.ts';
export { Link } from './connection/link.ts';
export { type Argument, onPrimary, type Script, scriptOf } from './connection/lua-script.ts';
export { optionNames, type RedisOptions, taggedPrefix } from './connection/options.ts';
export { isReply, unwrapped } from './connection/refusal.ts';
export { Settling } from './connection/settling.ts';
