import type { ConformanceCase } from '../../case/case.ts';
import { mustElect } from '../../case/must.ts';
import { checkLeaseHistory } from '../../histories/lease-history.ts';

const steps = 200;

/** Random steps against a model of one lease. */
export const leaseHistoryCases: readonly ConformanceCase[] = [1, 2, 3].map((n) =>
  mustElect(
    `LE1/random-${n}`,
    `${steps} random steps of four nodes: answers and all that can be read are the model’s, after every step`,
    ({ random, leases, newPool, signal }) => {
      const open = async () => {
        const pool = newPool();
        return [await leases({ pool }), await leases({ pool })] as const;
      };
      return checkLeaseHistory({ seed: random.uint32(), steps, open, signal });
    },
  ),
);
