import { Hono } from 'hono';
import {
  authorize,
  type Edge,
  type ExtensionParts,
  type HostEnvironment,
  HttpListener,
  headerOf,
  notFound,
  WaitingList,
} from 'mempool-server/edge';
import { blockfrostError } from './blockfrost-error.ts';
import type { BlockfrostCall, BlockfrostRoute } from './blockfrost-route.ts';
import { healthRoutes } from './health-routes.ts';
import { mempoolRoutes } from './mempool-routes.ts';
import { submitRoutes } from './submit-routes.ts';

/** The environment that `@hono/node-server` passes to a handler. */
interface Host {
  readonly Bindings: HostEnvironment;
}

/** The section `[edges.blockfrost]`, with defaults filled in. */
export interface BlockfrostSection {
  /** The port to listen on; 0 means any free port. It listens on the `host` of `[server]`. */
  readonly port: number;
}

/** Opens an edge with the paths of Blockfrost's API for transactions that wait for a block, and that of the Cardano submit API. */
export async function openBlockfrost(parts: ExtensionParts, { port }: BlockfrostSection): Promise<Edge> {
  const { pool, gate, options } = parts;
  const routes = [...healthRoutes(pool), ...submitRoutes(pool, gate), ...mempoolRoutes(pool, WaitingList.of(parts))];
  const app = routed(routes, parts);
  const handle = (request: Request, environment: HostEnvironment): Promise<Response> => {
    const answer = (): Response | Promise<Response> => app.fetch(request, environment);
    const isProbe = new URL(request.url).pathname.endsWith('/health');
    return gate.serve(request, environment, answer, { isProbe, refused: blockfrostError });
  };
  return HttpListener.open(handle, { host: options.host, port });
}

function routed(routes: readonly BlockfrostRoute[], { gate }: ExtensionParts): Hono<Host> {
  const app = new Hono<Host>();
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/, ':$1');
    app.on(route.method, [path, `/api/v0${path}`], ({ req, env }) => {
      const [param = ''] = Object.values<string>(req.param());
      const call = { request: req.raw, environment: env, param, query: new URL(req.url).searchParams };
      return answered(route, call, gate);
    });
  }
  app.notFound(() => blockfrostError(notFound('The requested component has not been found.')));
  app.onError((error) => blockfrostError(gate.fault(error)));
  return app;
}

async function answered(
  route: BlockfrostRoute,
  call: Omit<BlockfrostCall, 'caller'>,
  gate: ExtensionParts['gate'],
): Promise<Response> {
  const { method, path, scope } = route;
  const startedMs = performance.now();
  let response: Response;
  try {
    const { request, environment } = call;
    const project = headerOf(request, environment, 'project_id');
    const caller = gate.identify(request, environment, project === undefined ? undefined : `Bearer ${project}`);
    if (scope !== null) authorize(caller, [scope]);
    response = await route.answer({ ...call, caller });
  } catch (error) {
    response = blockfrostError(gate.fault(error));
  }
  gate.count({ route: `blockfrost ${path}`, method, status: response.status, startedMs });
  return response;
}
