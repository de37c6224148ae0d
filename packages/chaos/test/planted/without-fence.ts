/** Loaded first, gives every process of a run the backend that has no fence. */
import { registerHooks } from 'node:module';

const unfenced = new URL('./unfenced-redis.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'mempool-redis' && context.parentURL !== unfenced
      ? { url: unfenced, shortCircuit: true }
      : next(specifier, context),
});
