import { unsupported } from './call-errors.ts';

/** As `engines` in package.json, which installers only warn of. */
const oldest = 22;

/**
 * To be called before a native module is: on a Node that is too old one may end the process.
 *
 * @throws `ERR_MEMPOOL_UNSUPPORTED` before Node 22
 */
export function checkNode(version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) < oldest)
    throw unsupported(`mempool needs Node ${oldest} or later, and this is v${version}`);
}
