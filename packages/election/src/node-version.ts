import { ElectionError } from './contract/errors.ts';

/** As `engines` in package.json, which installers only warn of. */
const oldest = 22;

export function checkNode(version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) < oldest)
    throw new ElectionError(
      'ERR_ELECTION_REFUSED',
      `an election needs Node ${oldest} or later, and this is v${version}`,
    );
}
