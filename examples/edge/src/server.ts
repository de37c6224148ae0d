import {
  authorize,
  defineExtension,
  type Edge,
  type Extension,
  type ExtensionParts,
  type HostEnvironment,
  HttpListener,
  notFound,
  type Problem,
  portOf,
  table,
  wrongRequest,
} from 'mempool-server/edge';

interface PlainSection {
  readonly port: number;
}

/** A protocol of plain text: `POST /` with the bytes of a transaction answers its hash, `GET /<hash>` its stage. */
async function openPlain(parts: ExtensionParts, { port }: PlainSection): Promise<Edge> {
  const { gate, options } = parts;
  const answered = async (request: Request, environment: HostEnvironment): Promise<Response> => {
    const startedMs = performance.now();
    const response = await answer(parts, request, environment).catch((error) => refused(gate.fault(error)));
    gate.count({ route: 'plain', method: request.method, status: response.status, startedMs });
    return response;
  };
  const handle = (request: Request, environment: HostEnvironment): Promise<Response> =>
    gate.serve(request, environment, () => answered(request, environment), { refused });
  return HttpListener.open(handle, { host: options.host, port });
}

async function answer(
  { pool, gate, hashOf }: ExtensionParts,
  request: Request,
  environment: HostEnvironment,
): Promise<Response> {
  const caller = gate.identify(request, environment);
  authorize(caller, [request.method === 'POST' ? 'submit' : 'read']);
  if (request.method === 'POST') {
    const { bytes, release } = await gate.bodies.read(request, environment, caller);
    try {
      const { kind, hash } = await pool.submit({ hash: hashOf(bytes), payload: bytes });
      if (kind === 'received' || kind === 'duplicate') return new Response(`${hash}\n`);
      throw wrongRequest('body', `The pool refuses the transaction: ${kind}.`);
    } finally {
      release();
    }
  }
  const { stage } = await pool.status(new URL(request.url).pathname.slice(1));
  if (stage === 'Unknown') throw notFound('The pool does not know this transaction.');
  return new Response(`${stage}\n`);
}

function refused({ status, message }: Problem): Response {
  return new Response(`${message}\n`, { status });
}

const extension: Extension<PlainSection> = defineExtension({
  section: 'edges.plain',
  schema: table({ port: portOf(4_480) }),
  open: openPlain,
});

export default extension;
