/**
 * Takes the sums of what is read only to be near. A call that goes from one transaction to the next waits for each line of memory
 * that is far away. A short loop before it, which reads a number of each and does nothing else, waits for many of them at once: an
 * eviction from 100,000 takes a quarter less time by that. The sum must go somewhere, or the compiler leaves out the loop.
 */
export const fetched: Float64Array = new Float64Array(1);
