import { createConnectRouter } from '@connectrpc/connect';
import type { EdgeSection } from '../../config/server-config.ts';
import type { SharedParts } from '../../http/http-server.ts';
import type { Edge } from '../edge.ts';
import { RpcPort } from './rpc-port.ts';
import { RpcServer } from './rpc-server.ts';
import { submitConnect } from './spec.ts';
import { submitService } from './submit-service.ts';

const { SubmitService } = submitConnect;

/**
 * Opens UTxO RPC's service for submitting (`utxorpc.v1alpha.submit.SubmitService`) over gRPC, gRPC-Web and Connect, all on
 * one port.
 */
export async function openUtxorpc(parts: SharedParts, { port }: EdgeSection): Promise<Edge> {
  const { gate, options } = parts;
  // No compression: what a few bytes become would not count in the memory that all bodies may take together.
  const router = createConnectRouter({ readMaxBytes: options.maxBodyBytes });
  router.service(SubmitService, submitService(parts));
  const scopeOf = (method: string) => (method === SubmitService.methods.submitTx.name ? 'submit' : 'read');
  const server = new RpcServer(gate, options, router, scopeOf);
  return RpcPort.open((request, response) => server.answer(request, response), { host: options.host, port });
}
