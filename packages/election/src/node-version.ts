import { ElectionError } from './contract/errors.ts';

/** The same as `engines` in package.json: installers only warn when Node is older. */
const oldest = 22;

/** Checks the version of Node. @throws `ERR_ELECTION_REFUSED` on a Node before 22 */
export function checkNode(version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) < oldest)
    throw new ElectionError(
      'ERR_ELECTION_REFUSED',
      `an election needs Node ${oldest} or later, and this is v${version}`,
    );
}
