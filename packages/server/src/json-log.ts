import type { Logger } from 'mempool-core';
import { type DestinationStream, pino } from 'pino';

/** Returns a logger that writes one JSON object per line, from the level `info` on. */
export function jsonLog(destination: DestinationStream): Logger {
  const lines = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    destination,
  );
  return (level, message, fields = {}) => lines[level](fields, message);
}
