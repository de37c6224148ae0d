import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from 'mempool-testkit';
import { ownServer, scratchFolder } from '../own-server.ts';

/** PEM of a key and of a certificate that signs itself, for 127.0.0.1. */
export interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

const tags = { sequence: 0x30, set: 0x31, integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, text: 0x0c, time: 0x18 };

/** One DER element: tag, length, contents. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from([body.length >> 8, body.length & 255]);
  return Buffer.concat([Buffer.from([tag, 0x82]), length, body]);
}

const oid = (hex: string) => der(tags.oid, Buffer.from(hex, 'hex'));
const ecdsaWithSha256 = der(tags.sequence, oid('2a8648ce3d040302'));
const commonName = oid('550403');
const subjectAltName = oid('551d11');
const noUnusedBits = Buffer.from([0]);

function name(text: string): Buffer {
  return der(tags.sequence, der(tags.set, der(tags.sequence, commonName, der(tags.text, Buffer.from(text)))));
}

/** Node makes keys and signatures but no certificates, and `openssl` is not everywhere. */
export function selfSigned(): Certificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const publicKey = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });
  const validity = ['20200101000000Z', '20990101000000Z'].map((time) => der(tags.time, Buffer.from(time)));
  const addresses = der(tags.sequence, der(0x87, Buffer.from([127, 0, 0, 1])));
  const signed = der(
    tags.sequence,
    der(0xa0, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, Buffer.from([1])),
    ecdsaWithSha256,
    name('mempool test'),
    der(tags.sequence, ...validity),
    name('mempool test'),
    publicKey,
    der(0xa3, der(tags.sequence, der(tags.sequence, subjectAltName, der(tags.octets, addresses)))),
  );
  const signature = der(tags.bits, noUnusedBits, sign('sha256', signed, privateKey));
  const base64 = der(tags.sequence, signed, ecdsaWithSha256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g)?.join('\n');
  return { key, certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}

/** A server for this test alone that speaks TLS beside plain text, with the password `secret`. */
export async function tlsServer(authClients: 'yes' | 'no') {
  const dir = scratchFolder();
  const { key, certificate } = selfSigned();
  const [keyFile, certificateFile] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
  await writeFile(keyFile, key);
  await writeFile(certificateFile, certificate);
  const port = await freePort();
  const files = ['--tls-key-file', keyFile, '--tls-cert-file', certificateFile, '--tls-ca-cert-file', certificateFile];
  const args = ['--tls-port', String(port), ...files, '--tls-auth-clients', authClients, '--requirepass', 'secret'];
  const { url } = await ownServer(...args);
  return { port, certificate, adminUrl: url.replace('//', '//:secret@') };
}
