import { createConnectRouter } from '@connectrpc/connect';
import type { Edge, ExtensionParts } from 'mempool-server/edge';
import { RpcPort } from './rpc-port.ts';
import { RpcServer } from './rpc-server.ts';
import { submitConnect } from './spec.ts';
import { submitService } from './submit-service.ts';

const { SubmitService } = submitConnect;

/** The section `[edges.utxorpc]`, with defaults filled in. */
export interface UtxorpcSection {
  /** The port to listen on; 0 means any free port. It listens on the `host` of `[server]`. */
  readonly port: number;
}

/**
 * Opens UTxO RPC's service for submitting (`utxorpc.v1alpha.submit.SubmitService`) over gRPC, gRPC-Web and Connect, all on
 * one port.
 */
export async function openUtxorpc(parts: ExtensionParts, { port }: UtxorpcSection): Promise<Edge> {
  const { gate, options } = parts;
  // No compression: what a few bytes become would not count in the memory that all bodies may take together.
  const router = createConnectRouter({ readMaxBytes: options.maxBodyBytes });
  router.service(SubmitService, submitService(parts));
  const scopeOf = (method: string) => (method === SubmitService.methods.submitTx.name ? 'submit' : 'read');
  const server = new RpcServer(gate, options, router, scopeOf);
  return RpcPort.open((request, response) => server.answer(request, response), { host: options.host, port });
}
